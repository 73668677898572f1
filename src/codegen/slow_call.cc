// Out-of-line calls, with every caller-saved register kept.
#include "src/codegen/slow_call.h"

namespace frit::codegen {
namespace {

using namespace asmjit::x86;  // NOLINT: register names

// The C++ side: `lanes` has a bit for each lane to replace.
template <class T>
void replace_lanes(T* values, const T* x, const T* y, uint32_t lanes, math::SlowFunction<T> fn) {
  for (int i = 0; lanes != 0; ++i, lanes >>= 1) {
    if (lanes & 1) values[i] = fn(x[i], y[i]);
  }
}

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

struct SlowCall {
  uint64_t function, replace;
};
template <class T>
SlowCall slow_call_of(math::SlowFn fn) {
  return {address(reinterpret_cast<const void*>(math::slow_function<T>(fn))),
          address(reinterpret_cast<const void*>(&replace_lanes<T>))};
}
SlowCall slow_call_of(const SlowSite& site) {
  switch (site.type) {
    case math::Type::kF32:
      return slow_call_of<float>(site.fn);
    case math::Type::kF64:
      return slow_call_of<double>(site.fn);
    case math::Type::kI32:
      return slow_call_of<int32_t>(site.fn);
    case math::Type::kI64:
      return slow_call_of<int64_t>(site.fn);
    case math::Type::kM32:
    case math::Type::kM64:
      break;
  }
  __builtin_unreachable();
}

}  // namespace

void emit_slow_call(Assembly& assembly, Emitter& emitter, int mask, const SlowSite& site) {
  asmjit::x86::Assembler& a = assembly.a();
  const asmjit::Label cold = a.newLabel(), back = a.newLabel();
  emitter.mask_bits(mask_of(site.type), rcx, mask);
  a.test(ecx, ecx);
  a.jnz(cold);
  emitter.move(site.type, site.result, site.otherwise);
  a.bind(back);
  assembly.add_cold([&assembly, &emitter, site, cold, back] {
    asmjit::x86::Assembler& a = assembly.a();
    const int values = assembly.allocate_frame(32), x = assembly.allocate_frame(32),
              y = assembly.allocate_frame(32);
    emitter.set_lanes(site.lanes);
    a.bind(cold);
    emitter.store(site.type, assembly.frame(values), site.otherwise);
    emitter.store(site.type, assembly.frame(x), site.x);
    emitter.store(site.type, assembly.frame(y), site.y);
    assembly.call_save_registers();
    a.lea(rdi, assembly.frame(values));
    a.lea(rsi, assembly.frame(x));
    a.lea(rdx, assembly.frame(y));
    const SlowCall call = slow_call_of(site);
    a.mov(r8, call.function);
    a.mov(rax, call.replace);
    a.vzeroupper();
    a.call(rax);
    assembly.call_restore_registers();
    emitter.load(site.type, site.result, assembly.frame(values));
    a.jmp(back);
  });
}

void emit_frame_call(Assembly& assembly, FrameFunction fn, int first, int second) {
  asmjit::x86::Assembler& a = assembly.a();
  assembly.call_save_registers();
  a.lea(rdi, assembly.frame(first));
  a.lea(rsi, assembly.frame(second));
  a.mov(rax, address(reinterpret_cast<const void*>(fn)));
  a.vzeroupper();
  a.call(rax);
  assembly.call_restore_registers();
}

}  // namespace frit::codegen
