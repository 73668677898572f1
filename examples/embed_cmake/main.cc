// Inference inside a C++ program: a small classifier is frozen with its weights, saved, loaded and
// run.
#include <cstdio>
#include <exception>
#include <iostream>

#include "frit/frit.h"

namespace {

using frit::Tensor;

// Two layers that tell the quadrants of points.
frit::Program freeze_classifier(const Tensor& example) {
  const Tensor axes = frit::tensor({1.0f, 0.0f, -1.0f, 0.0f, 0.0f, 1.0f, 0.0f, -1.0f}).view({4, 2});
  const Tensor quadrants = frit::tensor({1.0f, 0.0f, 1.0f, 0.0f, 0.0f, 1.0f, 1.0f, 0.0f,  //
                                         0.0f, 1.0f, 0.0f, 1.0f, 1.0f, 0.0f, 0.0f, 1.0f})
                               .view({4, 4});
  const auto classify = [&](const Tensor& points) {
    return softmax(linear(relu(linear(points, axes)), quadrants), -1);
  };
  return frit::freeze(classify, {example}, {axes, quadrants});
}

void run_classifier() {
  const Tensor points = frit::tensor({1.0f, 2.0f, -3.0f, 0.5f, -1.0f, -1.0f}).view({3, 2});
  freeze_classifier(points).save("classifier.frit");
  const frit::Program program = frit::Program::load("classifier.frit");
  const Tensor scores = program.run({points})[0];
  std::cout << scores << "\n";
  const Tensor best = scores.argmax(1);
  for (int i = 0; i < 3; ++i)
    std::printf("point %d lies in quadrant %d\n", i, best[i].item<int>() + 1);
  // What a program does not accept is an error that says why.
  try {
    program.run({frit::ones({3, 3})});
  } catch (const frit::Error& error) {
    std::printf("%s\n", error.what());
  }
}

}  // namespace

int main() {
  try {
    run_classifier();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "classify: %s\n", error.what());
    return 1;
  }
}
