// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// What a thread's number is divided by is the product of two sizes, of which a reciprocal is computed before the loops. Where a loop around has no iteration,
// nothing says that the product fits in the counter's 32 bits: all iterations together are none, and in so many bits the product of these sizes is 0.
//
// JUDGE: 2 kernels, 2 transformed; of these new code ran in 2,
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
//
// ARGS: images: 0
// ARGS: channels: 0
// ARGS: height: 65536
// ARGS: width: 65536

// A bias is added to each plane, as layers of networks on linearised planes do.
void add_bias(int images, int height, int width, float bias, float *restrict planes) {
#pragma omp target teams distribute parallel for map(tofrom : planes[0 : images])
  for (int image = 0; image < images; ++image)
    for (int pixel = 0; pixel < height * width; ++pixel)
      planes[image * height * width + pixel] += bias;
}

// CHECK: region 'add_bias'
// CHECK: transformation possible threads image pixel
// CHECK: if 'height*width >= 1'

// Channels are packed in fours, by a loop whose number is divided in the source as well.
void pack(int channels, int height, int width, const float *restrict from, float *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : channels * height * width]) \
    map(from : to[0 : (channels + 3) / 4 * 4 * height * width])
  for (int pixel = 0; pixel < (channels + 3) / 4 * height * width; ++pixel)
    for (int lane = 0; lane < 4; ++lane) {
      int channel = pixel / (height * width) * 4 + lane;
      to[pixel * 4 + lane] = channel < channels ? from[channel * height * width + pixel % (height * width)] : 0.0f;
    }
}
