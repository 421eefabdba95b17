import { countText, shortText } from '../../format.ts';
import {
  CAUSES,
  CHECK_REASONS,
  COMMITMENTS,
  ERRORS,
  EVIDENCE_WORDS as words,
  EXCESSES,
  FACT_NAMES,
  GROUP_TITLES,
  LIES,
  QUESTIONS,
  SHOWN_BY,
} from './evidence-texts.ts';

export type Values = Readonly<Record<string, unknown>>;

/** What one node said, in sentences. */
interface Statement {
  readonly node: string;
  readonly sentences: readonly string[];
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly statements: readonly Statement[];
  /** Whether nodes contradict each other: that they are at different slots is no contradiction. */
  readonly differ: boolean;
}

export interface EvidenceInWords {
  readonly sentences: readonly string[];
  readonly facts: readonly { readonly name: string; readonly value: string; readonly isCode: boolean }[];
  readonly groups: readonly Group[];
  /** What has no words here, as it is stored. */
  readonly rest: Values;
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const valuesOf = (value: unknown): Values => (isValues(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const numberOf = (value: unknown): string => (typeof value === 'number' ? countText(value) : textOf(value));
const wordOf = (table: Readonly<Record<string, string>>, key: unknown): string | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;

/** The sentence for a member that holds one value; `undefined` where it has none. */
const SENTENCES: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  validated: (value) => (value === true ? words.valid : undefined),
  cause: (value) => wordOf(CAUSES, value),
  by: (value) => wordOf(SHOWN_BY, value),
  reason: (value) => wordOf(CHECK_REASONS, value),
};

/** The sentences for what one node said, for each member that holds an answer of each. */
const STATEMENTS: Readonly<Record<keyof typeof GROUP_TITLES, (answer: Values) => string[]>> = {
  nullifiers: nullifiersSaid,
  confirmed: nullifiersSaid,
  simulations: ({ slot, failure, unitsConsumed, debitLamports }) => [
    ...(failure === undefined
      ? []
      : [
          failure === null
            ? words.executes(numberOf(unitsConsumed), numberOf(slot))
            : words.refuses(textOf(failure), numberOf(slot)),
        ]),
    ...(debitLamports === undefined ? [] : [words.debit(numberOf(debitLamports))]),
  ],
  nodes: ({ taken }) => (taken === true ? [words.took] : []),
  sent: ({ taken }) => (taken === true ? [words.took] : []),
  providers: interviewSaid,
  terms: ({ costLamports, feeLamports, excess }) => [
    ...(costLamports === undefined ? [] : [words.cost(numberOf(costLamports), numberOf(feeLamports))]),
    ...(typeof excess === 'string' ? [words.dear(wordOf(EXCESSES, excess) ?? excess)] : []),
  ],
  leftOut: ({ lie }) => (lie === undefined ? [] : [wordOf(LIES, lie) ?? textOf(lie)]),
  heights: heightSaid,
};

function nullifiersSaid({ slot, spent }: Values): string[] {
  if (!Array.isArray(spent)) return [];
  return [words.spent(spent.filter((one) => one === true).length, spent.length, numberOf(slot))];
}

function heightSaid({ slot, blockHeight }: Values): string[] {
  return slot === undefined ? [] : [words.height(numberOf(slot), numberOf(blockHeight))];
}

/** The answers of one node to every question about finalized state, in the order in which they make a proof. */
function interviewSaid(answer: Values): string[] {
  const { height, statuses, transactions, nullifiers, blockhashes, spender, outputsExist } = answer;
  const attempts = listOf(valuesOf(statuses)['statuses']);
  const blockhashesSaid = valuesOf(blockhashes);
  /** If there are several attempts, statements about one name it. */
  const ofAttempt = (at: number) => (sentence: string) =>
    attempts.length < 2 ? sentence : words.ofAttempt(signatureOf(attempts[at]), sentence);
  return [
    ...heightSaid(valuesOf(height)),
    ...attempts.map((one) => statusSaid(one, valuesOf(statuses)['slot'])),
    ...listOf(transactions).flatMap((one, at) => transactionSaid(one).map(ofAttempt(at))),
    ...nullifiersSaid(valuesOf(nullifiers)),
    ...listOf(blockhashesSaid['valid']).map((isValid, at) =>
      ofAttempt(at)(
        (isValid === true ? words.blockhashValid : words.blockhashExpired)(numberOf(blockhashesSaid['slot'])),
      ),
    ),
    ...(spender === undefined ? [] : [spender === null ? words.noSpender : words.spentBy(textOf(spender))]),
    ...(outputsExist === undefined ? [] : [outputsExist === true ? words.outputs : words.noOutputs]),
    ...errorsSaid(valuesOf(answer['errors'])),
  ];
}

const signatureOf = (attempt: unknown) => shortText(textOf(valuesOf(attempt)['signature']), 6);

function statusSaid(one: unknown, asOf: unknown): string {
  const { status } = valuesOf(one);
  const short = signatureOf(one);
  if (!isValues(status)) return words.unknown(short, numberOf(asOf));
  const { commitment } = status;
  return status['failure'] === null
    ? words.known(short, wordOf(COMMITMENTS, commitment) ?? textOf(commitment), numberOf(status['slot']))
    : words.knownFailed(short, textOf(status['failure']));
}

function transactionSaid(one: unknown): string[] {
  if (!isValues(one)) return [];
  const { slot, failure, fee } = one;
  return [
    failure === null ? words.landed(numberOf(slot)) : words.failed(numberOf(slot), textOf(failure)),
    ...(typeof fee === 'number' ? [words.fee(numberOf(fee))] : []),
  ];
}

const errorsSaid = ({ interview, ...errors }: Values): string[] => [
  ...(interview === undefined ? [] : [words.unfinished]),
  ...Object.entries(errors).map(
    ([question, error]) => `${words.unasked(wordOf(QUESTIONS, question) ?? question)} ${errorSaid(error)}`,
  ),
];

function errorSaid(error: unknown): string {
  if (isValues(error)) return words.refusedWith(textOf(error['code']), textOf(error['failure']));
  return wordOf(ERRORS, error) ?? words.failedWith(textOf(error));
}

/** Where a node is on the chain, what its simulation used and what it did not answer differs between honest nodes. */
const NO_ANSWERS = new Set([
  'node',
  'error',
  'errors',
  'height',
  'blockHeight',
  'commitment',
  'unitsConsumed',
  'sinceSignedMs',
]);
/** The slot as of which a node answers, which is not that of a transaction. */
const AS_OF = /^(\.(statuses|nullifiers|blockhashes))?\.slot$/;
/** A transaction whose outcome the node was not asked for, or did not give. */
const NOT_SHOWN = /^\.transactions\.\d+$/;

/** What a node answered, one by one, by where it stands in its answers. */
function answersIn(value: unknown, at = ''): (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => answersIn(one, `${at}.${index}`));
  if (!isValues(value) || at.endsWith('.failure'))
    return AS_OF.test(at) || (value === null && NOT_SHOWN.test(at)) ? [] : [[at, JSON.stringify(value)]];
  // One node can have a status of a transaction and another none.
  const is: (readonly [string, string])[] = [[at, '{}']];
  return is.concat(
    Object.entries(value).flatMap(([name, one]) =>
      NO_ANSWERS.has(name) ? [] : answersIn(one, `${at}.${name}`),
    ),
  );
}

/** Whether two nodes answered the same question differently. */
function isContradicted(answers: readonly Values[]): boolean {
  const answered = new Map<string, string>();
  return answers
    .flatMap((answer) => answersIn(answer))
    .some(([at, answer]) => {
      const other = answered.get(at);
      answered.set(at, answer);
      return other !== undefined && other !== answer;
    });
}

/** These say something about the nodes themselves. */
const ABOUT_NODES = new Set<string>(['leftOut', 'heights']);

function groupOf(name: keyof typeof GROUP_TITLES, answers: readonly Values[]): Group {
  return {
    name,
    title: GROUP_TITLES[name],
    statements: answers.map((answer) => {
      const sentences = [
        ...STATEMENTS[name](answer),
        ...(answer['error'] === undefined ? [] : [errorSaid(answer['error'])]),
      ];
      return { node: textOf(answer['node']), sentences: sentences.length > 0 ? sentences : [words.silent] };
    }),
    differ: !ABOUT_NODES.has(name) && isContradicted(answers),
  };
}

const isAnswers = (value: unknown): value is readonly Values[] =>
  Array.isArray(value) && value.every((one) => isValues(one) && 'node' in one);
const isGroup = (name: string): name is keyof typeof GROUP_TITLES => Object.hasOwn(GROUP_TITLES, name);

/** The evidence for a change of a relay in words: the finding, and what each node answered. */
export function evidenceInWords(evidence: Values): EvidenceInWords {
  const sentences: string[] = [];
  const facts: EvidenceInWords['facts'][number][] = [];
  const groups: Group[] = [];
  const rest: Record<string, unknown> = {};
  const { lastValidBlockHeight, finalizedAtSlot, ...others } = evidence;
  const isProofOfDeath = typeof finalizedAtSlot === 'number';
  if (isProofOfDeath) sentences.push(words.dead(numberOf(lastValidBlockHeight), numberOf(finalizedAtSlot)));
  for (const [name, value] of Object.entries(isProofOfDeath ? others : evidence)) {
    const sentence = Object.hasOwn(SENTENCES, name) ? SENTENCES[name]!(value) : undefined;
    const factName = wordOf(FACT_NAMES, name);
    if (sentence !== undefined) sentences.push(sentence);
    else if (name === 'checks' && Array.isArray(value))
      facts.push({
        name: words.checks,
        value: value.length === 0 ? words.noChecks : value.map(textOf).join(' '),
        isCode: value.length > 0,
      });
    else if (isGroup(name) && isAnswers(value)) {
      if (value.length > 0) groups.push(groupOf(name, value));
    } else if (factName !== undefined && typeof value === 'number')
      facts.push({ name: factName, value: numberOf(value), isCode: false });
    else if (factName !== undefined && typeof value === 'string')
      facts.push({ name: factName, value, isCode: value.length > 30 });
    else if (value !== null) rest[name] = value;
  }
  return { sentences, facts, groups, rest };
}
