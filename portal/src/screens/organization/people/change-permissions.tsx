import { useState } from 'react';
import { FormLayer } from '../../../design/dialog';
import { Checkbox } from '../../../design/fields';
import { Await, Notice } from '../../../design/states';
import { useAction, useEvery, usePages, useRead } from '../../../graphql/hooks';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import { APPLICATION_NAMES, MEMBERS, PERMISSION_TABLE, SET_PERMISSIONS, type MemberNode } from '../documents';
import { allowedBy } from '../permission-texts';

const words = texts(
  {
    permissionsOf: (name: string) => `Permissions of ${name}`,
    owner: 'In the whole organization',
    bucket: (application: string, bucket: string) => `${application}: ${bucket}`,
    save: 'Save the permissions',
    saving: 'Saving…',
    effect: 'Changes take effect with the next request of this person.',
    changes: 'What changes',
    nothing: 'Nothing changes.',
    added: 'added',
    removed: 'removed',
    only: (name: string) =>
      `${name} is the only one who grants permissions here. Give members:manage to somebody else first: the gateway refuses to take it from the last one.`,
  },
  {
    fr: {
      permissionsOf: (name: string) => `Autorisations de ${name}`,
      owner: 'Dans toute l’organisation',
      bucket: (application: string, bucket: string) => `${application} : ${bucket}`,
      save: 'Enregistrer les autorisations',
      saving: 'Enregistrement…',
      effect: 'Les changements valent dès la prochaine requête de cette personne.',
      changes: 'Ce qui change',
      nothing: 'Rien ne change.',
      added: 'ajoutée',
      removed: 'retirée',
      only: (name: string) =>
        `${name} est la seule personne qui accorde ici des autorisations. Donnez d’abord members:manage à quelqu’un d’autre : la passerelle refuse de la retirer à la dernière.`,
    },
  },
);

const BUCKETS = ['common', 'administrator', 'auditor'] as const;
const MANAGES = 'owner members:manage';

/** What a member holds: `owner members:manage`, `payments/auditor cases:create`. */
const heldBy = ({ permissions: { owner, applications } }: MemberNode): ReadonlySet<string> =>
  new Set([
    ...owner.map((name) => `owner ${name}`),
    ...applications.flatMap((one) =>
      BUCKETS.flatMap((bucket) => one[bucket].map((name) => `${one.foreignId}/${bucket} ${name}`)),
    ),
  ]);

const chosenIn = (chosen: ReadonlySet<string>, group: string): string[] =>
  [...chosen].flatMap((key) => (key.startsWith(`${group} `) ? [key.slice(group.length + 1)] : []));

const isManager = ({ permissions }: MemberNode) => permissions.owner.includes('members:manage');

export function ChangePermissions({
  member,
  onClose,
}: {
  readonly member: MemberNode;
  readonly onClose: () => void;
}) {
  const held = heldBy(member);
  const members = usePages(['members'], MEMBERS, {}, ({ members }) => members);
  // Nobody else does, among all of them.
  const isOnlyManager =
    !members.isPending &&
    !members.error &&
    !members.hasMore &&
    isManager(member) &&
    members.nodes.filter(isManager).length === 1;
  const [chosen, setChosen] = useState(held);
  const table = useRead(['permissionTable'], PERMISSION_TABLE, {});
  // All of them: what is not sent is taken away.
  const every = useEvery(
    ['applications', 'names'],
    APPLICATION_NAMES,
    {},
    ({ applications }) => applications,
  );
  const action = useAction(
    (foreignIds: readonly string[]) =>
      run(SET_PERMISSIONS, {
        input: {
          memberId: member.id,
          permissions: {
            owner: chosenIn(chosen, 'owner'),
            applications: foreignIds.map((foreignId) => ({
              foreignId,
              common: chosenIn(chosen, `${foreignId}/common`),
              administrator: chosenIn(chosen, `${foreignId}/administrator`),
              auditor: chosenIn(chosen, `${foreignId}/auditor`),
            })),
          },
        },
      }),
    [['members'], ['member'], ['viewer']],
  );
  const choose = (key: string, isChosen: boolean) =>
    setChosen(isChosen ? new Set([...chosen, key]) : new Set([...chosen].filter((one) => one !== key)));
  const group = (title: string, id: string, bucket: string, permissions: readonly string[]) => (
    <fieldset key={id} className="fieldset">
      <legend>{title}</legend>
      {permissions.map((permission) => (
        <Checkbox
          key={permission}
          name={id}
          value={permission}
          label={permission}
          hint={allowedBy(bucket, permission)}
          checked={chosen.has(`${id} ${permission}`)}
          onChange={(isChosen) => choose(`${id} ${permission}`, isChosen)}
        />
      ))}
    </fieldset>
  );
  return (
    <FormLayer
      title={words.permissionsOf(member.name)}
      action={words.save}
      busy={words.saving}
      isRunning={action.isRunning}
      problem={action.problem}
      onClose={onClose}
      onSubmit={() =>
        every.data &&
        void action.run(
          every.data.map(({ foreignId }) => foreignId),
          onClose,
        )
      }
    >
      <p>{words.effect}</p>
      <Await reading={table}>
        {({ data: { permissionTable } }) => (
          <Await reading={every}>
            {(applications) =>
              permissionTable.map(({ name, permissions }) =>
                name === 'owner'
                  ? group(words.owner, name, name, permissions)
                  : applications.map((application) =>
                      group(
                        words.bucket(application.name, name),
                        `${application.foreignId}/${name}`,
                        name,
                        permissions,
                      ),
                    ),
              )
            }
          </Await>
        )}
      </Await>
      <Changes held={held} chosen={chosen} />
      {isOnlyManager && !chosen.has(MANAGES) && (
        <Notice tone="warn" isLive>
          {words.only(member.name)}
        </Notice>
      )}
    </FormLayer>
  );
}

/** What is added and removed, in words and with a sign: never by color alone. */
function Changes({
  held,
  chosen,
}: {
  readonly held: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
}) {
  const added = [...chosen].filter((key) => !held.has(key)).sort();
  const removed = [...held].filter((key) => !chosen.has(key)).sort();
  return (
    <section aria-label={words.changes} role="status">
      <h3>{words.changes}</h3>
      {added.length + removed.length === 0 ? (
        <p className="soft">{words.nothing}</p>
      ) : (
        <ul>
          {added.map((key) => (
            <li key={key}>
              + {words.added}: {key}
            </li>
          ))}
          {removed.map((key) => (
            <li key={key}>
              − {words.removed}: {key}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
