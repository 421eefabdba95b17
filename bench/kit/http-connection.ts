import { connect, type Socket } from 'node:net';

/** Receives the chunks of a body, and reports at the end whether it is correct. */
export interface BodyCheck {
  piece(bytes: Buffer): void;
  end(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A keep-alive HTTP/1.1 connection with one request at a time. It does the minimum that a client can do, so that the server is
 * measured: an answer must have the status 200 and a Content-Length.
 */
export class HttpConnection {
  private readonly socket: Socket;
  private readonly fail: (cause: Error) => void;
  private check: BodyCheck | undefined;
  private done: (() => void) | undefined;
  private head: Buffer | undefined;
  private missing = 0;

  constructor(port: number, fail: (cause: Error) => void) {
    this.fail = fail;
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.socket.on('data', (bytes) => this.receive(bytes));
    this.socket.on('error', fail);
    this.socket.on('close', () => this.check && fail(new Error('The server closed the connection.')));
  }

  /** Calls `done` when the complete answer has arrived and is checked. */
  ask(request: Buffer, check: BodyCheck, done: () => void): void {
    this.check = check;
    this.done = done;
    this.socket.write(request);
  }

  close(): void {
    this.check = undefined;
    this.socket.destroy();
  }

  private receive(bytes: Buffer): void {
    try {
      if (!this.check) throw new Error('The server sent what was not asked for.');
      if (this.missing > 0) this.receiveBody(bytes);
      else this.receiveHead(this.head ? Buffer.concat([this.head, bytes]) : bytes);
    } catch (thrown) {
      this.fail(thrown as Error);
    }
  }

  private receiveHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END);
    this.head = end < 0 ? bytes : undefined;
    if (end < 0) return;
    const head = bytes.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined)
      throw new Error(`An answer is ${bytes.toString('utf8').slice(0, 2_000)}`);
    this.missing = Number(length);
    this.receiveBody(bytes.subarray(end + HEAD_END.length));
  }

  private receiveBody(bytes: Buffer): void {
    const { check, done } = this;
    if (bytes.length > this.missing) throw new Error('An answer is longer than its length.');
    check!.piece(bytes);
    this.missing -= bytes.length;
    if (this.missing > 0) return;
    this.check = undefined;
    check!.end();
    done!();
  }
}
