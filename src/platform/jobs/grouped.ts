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
 * quiet, and groups grow with the load. `work` answers all of a group, in their order; if it fails, all of them fail.
 */
export function grouped<Asked, Answer>(
  work: (group: readonly Asked[]) => Promise<readonly (Answer | Failed)[]>,
): (asked: Asked) => Promise<Answer> {
  const waiting: Waiting<Asked, Answer>[] = [];
  let isUnderWay = false;
  const workOff = async () => {
    isUnderWay = true;
    while (waiting.length > 0) {
      const group = waiting.splice(0, MAX_GROUP_SIZE);
      try {
        const answers = await work(group.map(({ asked }) => asked));
        for (const [at, { resolve, reject }] of group.entries()) {
          const answer = answers[at]!;
          if (answer instanceof Failed) reject(answer.thrown);
          else resolve(answer);
        }
      } catch (thrown) {
        for (const { reject } of group) reject(thrown);
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
