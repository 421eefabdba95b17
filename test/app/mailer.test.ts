import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type Socket } from 'node:net';
import { createMailer } from '../../src/app/mailer.js';
import { listen } from '../kit/process/local-server.js';

const RECIPIENT = 'pia@example.test';

/** A mail server on loopback that answers each command from `answers`, and keeps what it was sent. */
describe('letters', () => {
  let server: Server;
  let port: number;
  let answers: Readonly<Record<string, string>>;
  let received: string;

  const serve = (socket: Socket) => {
    let isData = false;
    socket.write('220 mail.example.test\r\n');
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString();
      if (isData) received += text;
      if (isData && !received.endsWith('\r\n.\r\n')) return;
      const command = isData ? '.' : text.slice(0, 4).trim().toUpperCase();
      isData = command === 'DATA';
      socket.write(`${answers[command] ?? '250 Fine'}\r\n`);
    });
  };
  beforeAll(async () => {
    server = createServer(serve);
    port = await listen(server);
  });
  beforeEach(() => {
    answers = { DATA: '354 Continue', QUIT: '221 Bye' };
    received = '';
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const send = (mail: { readonly subject?: string; readonly text?: string } = {}) =>
    createMailer({ url: new URL(`smtp://127.0.0.1:${port}`), from: 'Lucarne <no-reply@bank.example>' }).send({
      ...{ to: RECIPIENT, subject: 'Subject', text: 'Text' },
      ...mail,
    });

  it('have no header that a name adds, and end where the text ends', async () => {
    await send({
      subject: 'Your access to Bank\r\nBcc: everyone@example.test',
      text: 'Hello\r\n.\r\nMAIL FROM:<evil@example.test>\r\n',
    });
    const [head = '', ...body] = received.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/m);
    expect(body.join('\r\n\r\n')).toContain('\r\n..\r\nMAIL FROM');
  });

  it.each([
    ['RCPT', `550 5.1.1 <${RECIPIENT}>: no such mailbox`, 'EENVELOPE 550'],
    ['.', `554 5.7.1 Spam for ${RECIPIENT}`, 'EMESSAGE 554'],
  ])(
    'fail with an error that does not name the recipient if the server refuses at %s',
    async (at, answer, why) => {
      answers = { ...answers, [at]: answer };
      const thrown = await send().catch((error: unknown) => error as Error);
      expect(thrown).toMatchObject({ message: `The mail server did not accept the letter (${why}).` });
      expect(JSON.stringify([thrown, (thrown as Error).cause ?? null])).not.toContain(RECIPIENT);
    },
  );

  it('fail when a server answers without end, and its connection is closed', async () => {
    const closed = Promise.withResolvers<string>();
    const trickling = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.write('220 mail.example.test\r\n');
      socket.once('data', () => {
        const speaking = setInterval(() => socket.write('250-AND-MORE\r\n'), 20);
        socket.once('close', () => {
          clearInterval(speaking);
          closed.resolve('closed');
        });
      });
    });
    const url = new URL(`smtp://127.0.0.1:${await listen(trickling)}`);
    const mailer = createMailer({ url, from: 'no-reply@bank.example' }, { letterMs: 500 });
    await expect(mailer.send({ to: RECIPIENT, subject: 'Subject', text: 'Text' })).rejects.toThrow(
      'The mail server did not accept the letter (EABORT).',
    );
    await expect(closed.promise).resolves.toBe('closed');
    await new Promise((resolve) => trickling.close(resolve));
  }, 5_000);
});
