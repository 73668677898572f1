// FunctionRef: a callable passed down a call, without owning it and without allocating.
//
//   void each(FunctionRef<void(int)> fn);
//   each([&](int i) { sum += i; });
//
// The callable must outlive the call that it is passed to.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace frit::base {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& fn)  // NOLINT: implicit on purpose
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(fn)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace frit::base
