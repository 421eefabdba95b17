interface Address {
  readonly value: number;
}

/** The exports of `assembly/index.ts`. */
export interface KernelExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly maxProofs: Address;
  readonly proofAt: Address;
  readonly keyAt: Address;
  readonly chosenAt: Address;
  readonly weightsAt: Address;
  readonly scalarsAt: Address;
  readonly validAt: Address;
  readonly prepare: (signals: number) => void;
  readonly isExact: () => number;
  readonly takeSecret: () => number;
  readonly takeKey: () => number;
  readonly takeProof: (at: number) => number;
  readonly prepareProofs: (count: number) => void;
  readonly holds: (count: number) => number;
}

/** Undefined if the engine was started without a compiler. */
declare const WebAssembly:
  | {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object, imports: object) => { readonly exports: unknown };
    }
  | undefined;

/** Throws if the engine has no WebAssembly, or lacks instructions that the module uses. */
export function compileKernel(bytes: Uint8Array): object {
  if (typeof WebAssembly === 'undefined') throw new Error('WebAssembly is not available.');
  return new WebAssembly.Module(bytes);
}

/** Creates an instance. The hash of the module was checked, so its exports are known. */
export function instantiate(module: object): KernelExports {
  return new WebAssembly!.Instance(module, {}).exports as KernelExports;
}
