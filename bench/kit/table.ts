import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Result } from './benchmark.ts';

const README = path.resolve(import.meta.dirname, '..', 'README.md');
const BEGIN = '<!-- results: written by `npm run bench -- --write` -->';
const END = '<!-- end of results -->';

/** A Markdown table. A ratio above one means that Lucarne was faster than the reference. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.what,
    `${rate(result.productRate)} ${result.unit}/s`,
    `${rate(result.referenceRate)}/s ${result.reference}`,
    `**${figure(result.ratio)}** (${result.interval.map(figure).join(' to ')})`,
    reach(result),
    [
      ...cpuOf(result),
      ...Object.entries(result.additional ?? {}).map(
        ([name, value]) => `${name} ${typeof value === 'number' ? figure(value) : value}`,
      ),
    ].join('; '),
  ]);
  return [
    ['What', 'Lucarne', 'Reference', 'Ratio (95 % interval)', 'Target', 'Also measured'],
    Array.from({ length: 6 }, () => '---'),
    ...rows,
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Writes the table to bench/README.md, in place of the last one. */
export async function writeTable(run: {
  readonly results: readonly Result[];
  readonly machine: string;
  readonly command: string;
}): Promise<void> {
  const text = await readFile(README, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${README} has no place for the results.`);
  const day = new Date().toISOString().slice(0, 10);
  const lines = [`\`${run.command}\`, ${day}. ${run.machine}.`, '', tableOf(run.results)];
  await writeFile(README, `${before}${BEGIN}\n\n${lines.join('\n')}\n\n${END}${after}`);
}

function reach(result: Result): string {
  if (result.reach === undefined) return '';
  const wanted =
    typeof result.reach === 'number'
      ? targetOf(figure(result.reach), result.reach, result.ratio)
      : targetOf(`${rate(result.reach.perSecond)}/s`, result.reach.perSecond, result.productRate);
  const { reachByCpu, cpu } = result;
  if (reachByCpu === undefined || !cpu) return wanted;
  return `${wanted}; by CPU ${targetOf(figure(reachByCpu), reachByCpu, cpu.ratio)}`;
}

const targetOf = (text: string, wanted: number, had: number) =>
  `${text}${had >= wanted ? '' : ' – not reached'}`;

/** The CPU time of the servers, as a ratio and in microseconds. */
function cpuOf({ cpu }: Result): string[] {
  if (!cpu) return [];
  const { ratio, interval, productMicroseconds, referenceMicroseconds } = cpu;
  return [
    `by CPU of the server ${figure(ratio)} (${interval.map(figure).join(' to ')})`,
    `µs ${figure(productMicroseconds)} and ${figure(referenceMicroseconds)}`,
  ];
}

function rate(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(2)));
}
