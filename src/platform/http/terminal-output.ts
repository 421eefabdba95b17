import type { DestinationStream } from 'pino';

/** Log lines as a person reads them, on standard output. Loaded only where there is a terminal. */
export async function terminalOutput(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: 1,
    sync: true,
    colorize: pretty.isColorSupported,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'instance',
    singleLine: true,
  });
}
