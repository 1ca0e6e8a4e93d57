#!/bin/sh
# Installs ONNX Runtime's CUDA provider into NODE_MODULES, and the libraries that it loads into FOLDER/lib. requirements.txt has
# the SHA-256 of every file. Fails if a library is missing, except the driver's, which comes from the host.
# usage: install.sh NODE_MODULES FOLDER
set -eu
runtime=$1/onnxruntime-node/bin/napi-v6/linux/x64
folder=$2
mkdir -p "$folder/lib"
python3 -m pip install --no-cache-dir --only-binary :all: --no-deps --require-hashes --python-version 3.11 \
  --target "$folder/wheels" --requirement "$(dirname "$0")/requirements.txt"
# npm's package has the runtime itself, of the same release, without these.
mv "$folder"/wheels/onnxruntime/capi/libonnxruntime_providers_*.so "$runtime/"
mv "$folder"/wheels/nvidia/*/lib/*.so.* "$folder/lib/"
rm -r "$folder/wheels"

# The provider looks for cuDNN and NVRTC only when it needs them, so that ldd does not name them.
missing=$(
  LD_LIBRARY_PATH=$folder/lib ldd "$runtime/libonnxruntime_providers_cuda.so" "$folder"/lib/*.so.* \
    | grep 'not found' | grep -v 'libcuda\.so\.1 ' || true
  for name in libcudnn.so.9 libnvrtc.so.13; do [ -e "$folder/lib/$name" ] || echo "$name => not found"; done
)
[ -z "$missing" ] && exit
echo "The CUDA provider cannot load these libraries; requirements.txt has to name the packages that contain them:" >&2
echo "$missing" >&2
exit 1
