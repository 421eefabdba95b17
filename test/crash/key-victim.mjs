// Changes keys in a separate process that SIGKILL ends at a chosen statement, or when the work is done:
//   node key-victim.mjs '{ "target", "file", "stores"?, "to"?, "work", "moment"? }', see dying.ts.
import 'reflect-metadata';
import process from 'node:process';
import { observeTarget } from './observe.mjs';
import { storesOf } from './stores-of.mjs';

const { target, file, stores: told, to, work, moment } = JSON.parse(process.argv[2]);
const dist = (path) => import(new URL(`../../dist/src/${path}`, import.meta.url).href);
const { connectDatabase } = await dist('platform/database/index.js');
const { systemRandom: random } = await dist('platform/kernel/random.js');
const { silentLog: log } = await dist('platform/kernel/log.js');
const keys = await dist('platform/keys/index.js');
const { PURPOSES: purposes, SEALED_COLUMNS: columns } = await dist('app/storage/sealed-columns.js');
const { entities } = await dist('app/storage/entities.js');

const database = await connectDatabase({ entities, target: await observeTarget(target, moment) });
const masterKeys = keys.createMasterKeys({ kind: 'file', name: 'the file', file }, storesOf(keys, told));
const operator = { database, masterKeys, purposes, columns, random, leadSeconds: 0 };

const works = {
  rotate: () => keys.rotateMasterKey(operator, to && keys.parseKeyUri(to)),
  async reseal() {
    await keys.announceDataKeys(operator);
    const keyring = keys.createKeyring({ ...operator, log });
    await keyring.open();
    await keys.reseal({ ...operator, sealer: keyring.sealer });
  },
  retire: () => keys.retireMasterKey(operator, 1),
};

await works[work]();
if (moment !== undefined) throw new Error(`${work} never came to ${JSON.stringify(moment)}.`);
process.kill(process.pid, 'SIGKILL');
