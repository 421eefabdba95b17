import { isUnavailable } from '../kernel/errors.js';

/** Maximum number of items in a group. The others wait for the next group. */
const MAX_GROUP_SIZE = 64;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Returned in place of a result: only the caller of that item fails. */
export class Failed {
  constructor(readonly thrown: unknown) {}
}

/**
 * Runs `work` for one group of items at a time. Items that arrive in one turn of the event loop form a group: one answer often
 * lets several callers continue at once, and a first item that ran alone would split each of these groups. Items that arrive
 * while a group runs form the next one, so there is no delay without load, and groups grow with the load. `work` returns the
 * results of a group in its order. If it fails, each item is repeated alone, so that one bad item does not fail the others. If a
 * dependency is `UNAVAILABLE`, no item is the cause, and all remaining ones fail.
 */
export function grouped<Asked, Answer>(
  work: (group: readonly Asked[], isApart: boolean) => Promise<readonly (Answer | Failed)[]>,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = [];
  let isUnderWay = false;
  const done = async (group: readonly Waiting<Asked, Answer>[], isApart: boolean) => {
    const asked = group.map((one) => one.asked);
    const answers = await work(asked, isApart);
    if (answers.length !== group.length) throw new Error('A group was answered in part.');
    for (const [at, { resolve, reject }] of group.entries()) {
      const answer = answers[at]!;
      if (answer instanceof Failed) reject(answer.thrown);
      else resolve(answer);
    }
  };
  const doneApart = async (group: readonly Waiting<Asked, Answer>[]) => {
    for (const [at, one] of group.entries())
      try {
        await done([one], true);
      } catch (thrown) {
        const failing = isUnavailable(thrown) ? group.slice(at) : [one];
        for (const { reject } of failing) reject(thrown);
        if (isUnavailable(thrown)) return;
      }
  };
  const workOff = async () => {
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_GROUP_SIZE);
      try {
        await done(group, false);
      } catch (thrown) {
        if (group.length > 1 && !isUnavailable(thrown)) await doneApart(group);
        else for (const { reject } of group) reject(thrown);
      }
    }
    isUnderWay = false;
  };
  return (asked) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      setImmediate(() => void workOff());
    });
}
