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
    Object.entries(result.additional ?? {})
      .map(([name, value]) => `${name} ${typeof value === 'number' ? figure(value) : value}`)
      .join('; '),
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
  const isRatio = typeof result.reach === 'number';
  const [wanted, had] = isRatio ? [result.reach, result.ratio] : [result.reach.perSecond, result.productRate];
  return `${isRatio ? figure(wanted) : `${rate(wanted)}/s`}${had >= wanted ? '' : ' – not reached'}`;
}

function rate(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(2)));
}
