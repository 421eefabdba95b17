import { afterAll, expect } from '@jest/globals';

let opened: { readonly file: string | undefined; readonly parts: AsyncDisposableStack } | undefined;

/** Disposes of `resource` at the end of the test file, before what the file opened earlier. */
export function forFile<T extends AsyncDisposable>(resource: T): T {
  const file = expect.getState().testPath;
  if (opened?.file !== file) {
    const parts = new AsyncDisposableStack();
    opened = { file, parts };
    afterAll(async () => parts.disposeAsync());
  }
  return opened!.parts.use(resource);
}
