import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface DatabaseProxy extends AsyncDisposable {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Cuts every connection and refuses new ones, like an unavailable database. */
  cut(): Promise<void>;
  /** Keeps every connection open but sends nothing more, like a server that hangs. New connections hang, too. */
  fallSilent(): void;
  speak(): void;
  restore(): Promise<void>;
}

/** A proxy for a PostgreSQL server, so that a test can make it unavailable and available again. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
      if (isSilent) one.pause();
    }
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut,
    fallSilent() {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
    restore: () => listen(port),
    [Symbol.asyncDispose]: cut,
  };
}
