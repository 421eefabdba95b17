import { describe, expect, it } from '@jest/globals';
import { WAIT_BOUNDS } from '../../../src/domain/relays/waits.js';
import type { Product } from '../../../src/edge/cli/product.js';
import { openRelayRoom } from '../../domain/relays/kit.js';
import { say } from './terminal.js';
import { eventually } from '../../kit/eventually.js';
import { forFile } from '../../kit/for-file.js';

const room = forFile(await openRelayRoom());
const database: Partial<Product> = { withDatabase: (_, work) => work(room.foundation.database) };

describe('lucarne relay show', () => {
  const show = (...parameters: string[]) => say(['relay', 'show', ...parameters], '', database);

  it('prints what the relay waits for and until when, its attempts, its changes, and the testimonies', async () => {
    const nodes = room.nodes(3);
    nodes.fail({ method: 'send' }, { kind: 'swallowed' });
    nodes.fail({ node: 2 }, { kind: 'drop' });
    const id = await room.submit();
    const worker = room.worker({ nodes });
    await eventually(
      () => show(id),
      (shown) => shown.output.includes('"status":null'),
    );
    await worker.stop();
    const { exitCode, output, errors } = await show(id);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    const [attempt] = await room.attempts(id);
    const [first, second, silent] = nodes.nodes.map(({ label }) => label);
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';
    const lines = [
      `${id}: submitted since ${time}`,
      `Pool local-test-pool, program \\w+\\. Accepted ${time}\\.`,
      `It waits for ${WAIT_BOUNDS.landing.replace(/[()]/g, '\\$&')} \\[landing\\]\\.`,
      `The next check is due at ${time}\\.`,
      '',
      'Attempts:',
      `  1\\. ${attempt!.signature}: not proven, can land up to block ${attempt!.lastValidBlockHeight}`,
      '',
      'Changes:',
      ...['accepted', 'validating', 'queued', 'submitted'].map(
        (status, at) => `  ${at + 1}\\. ${time} ${status}`,
      ),
      '',
      `The last check, ${time}:`,
    ];
    expect(output).toMatch(new RegExp(`^${lines.join('\n')}\n`));
    const [, look = ''] = output.split('The last check,');
    for (const label of [first, second])
      expect(look).toMatch(new RegExp(`    {"node":"${label}".*"status":null`));
    expect(look).toMatch(new RegExp(`    {"node":"${silent}","errors":{.*"statuses":"unreachable"`));
    expect(output).not.toMatch(/http|sealed|proof"/);

    const json = JSON.parse((await show(id, '--json')).output) as Record<string, unknown>;
    expect(json).toMatchObject({
      ...{ id, status: 'submitted', waitingFor: { wait: 'landing' } },
      events: [
        { status: 'accepted' },
        {},
        {},
        { status: 'submitted', evidence: { blockhash: attempt!.blockhash } },
      ],
    });

    nodes.heal();
    room.worker({ nodes });
    await room.untilEnded(id);
    const ended = (await show(id)).output;
    expect(ended).toMatch(new RegExp(`^${id}: succeeded since`));
    expect(ended).toContain(`  1. ${attempt!.signature}: landed, can land up to block`);
    expect(ended).not.toMatch(/It waits for|The next look/);
  });

  it('prints why a request was refused before signing', async () => {
    const id = await room.submit({ proofBytes: '00'.repeat(256) });
    room.worker();
    await room.untilEnded(id);
    const { output } = await show(id);
    expect(output).toMatch(new RegExp(`^${id}: rejected \\(simulation_failed\\) since`));
    expect(output).toContain('Attempts:\n  none signed\n');
  });

  it('fails for an unknown id', async () => {
    const { exitCode, errors } = await show('rly_nope');
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: 'No such relay request.\n' });
  });
});
