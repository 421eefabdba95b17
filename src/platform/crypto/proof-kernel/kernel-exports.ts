interface Address {
  readonly value: number;
}

/** What `assembly/index.ts` exports. */
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

/** Absent where the engine was started without a compiler. */
declare const WebAssembly:
  | {
      Module: new (bytes: Uint8Array) => object;
      Instance: new (module: object, imports: object) => { readonly exports: unknown };
    }
  | undefined;

/** Throws where the engine has no WebAssembly, or not the instructions that the module has. */
export function compileKernel(bytes: Uint8Array): object {
  if (typeof WebAssembly === 'undefined') throw new Error('WebAssembly is not available.');
  return new WebAssembly.Module(bytes);
}

/** A new instance. The module’s hash was compared, so its exports are known. */
export function instantiate(module: object): KernelExports {
  return new WebAssembly!.Instance(module, {}).exports as KernelExports;
}
