import { isLucarneError } from '../kernel/errors.js';

/** Most that one group holds; the rest wait for the next. */
const MAX_GROUP_SIZE = 64;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (thrown: unknown) => void;
}

/** In place of an answer: only who asked for that one fails. */
export class Failed {
  constructor(readonly thrown: unknown) {}
}

/**
 * Does `work` for one group at a time: what is asked while it is under way is the next group. So nobody waits while it is
 * quiet, and groups grow with the load. `work` answers all of a group, in their order. If it fails, each of them is done once
 * more, apart: one that cannot be done keeps nobody else from an answer. Where something is `UNAVAILABLE`, nobody is to blame,
 * and all that are left fail.
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
        const failing = isAway(thrown) ? group.slice(at) : [one];
        for (const { reject } of failing) reject(thrown);
        if (isAway(thrown)) return;
      }
  };
  const workOff = async () => {
    isUnderWay = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_GROUP_SIZE);
      try {
        await done(group, false);
      } catch (thrown) {
        if (group.length > 1 && !isAway(thrown)) await doneApart(group);
        else for (const { reject } of group) reject(thrown);
      }
    }
    isUnderWay = false;
  };
  return (asked) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ asked, resolve, reject });
      if (!isUnderWay) void workOff();
    });
}

const isAway = (thrown: unknown) => isLucarneError(thrown) && thrown.code === 'UNAVAILABLE';
