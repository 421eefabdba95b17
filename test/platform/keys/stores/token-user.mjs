// Uses a token in a separate process: node token-user.mjs '{ "configuration", "token", "isShort" }'. Prints `served` or the
// error code for each use. With `isShort`, it has no free file descriptors at its first use. Then it runs until SIGTERM.
import { closeSync, openSync } from 'node:fs';
import process from 'node:process';
import { setInterval } from 'node:timers';

const { configuration, token, isShort } = JSON.parse(process.argv[2]);
const { createTokens } = await import('../../../../dist/src/platform/keys/pkcs11/tokens.js');
const tokens = createTokens(configuration);

async function use() {
  const outcome = await tokens.ask(token, { operation: 'make', object: 'master-1' }).then(
    () => 'served',
    (thrown) => thrown.code ?? String(thrown),
  );
  process.stdout.write(`${outcome}\n`);
}

function takeDescriptors() {
  const taken = [];
  for (;;) {
    try {
      taken.push(openSync('/dev/null'));
    } catch {
      return taken;
    }
  }
}

if (isShort) {
  const taken = takeDescriptors();
  await use();
  taken.forEach((descriptor) => closeSync(descriptor));
}
await use();
process.on('SIGTERM', () => process.exit());
setInterval(() => undefined, 60_000);
