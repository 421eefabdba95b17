import type { AddressInfo, Server } from 'node:net';

/** The options of a reference, which the benchmark sends. */
export function options<Options>(): Promise<Options> {
  return new Promise((resolve) => process.once('message', resolve));
}

export function serve(server: Server): void {
  server.listen(0, '127.0.0.1', () => tellPort(server));
}

/** Reports to the benchmark that it can begin. */
export function tellPort(server: Server): void {
  process.send?.({ port: (server.address() as AddressInfo).port });
}
