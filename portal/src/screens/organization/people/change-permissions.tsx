import type { VariablesOf } from 'gql.tada';
import { useState } from 'react';
import { FormLayer } from '../../../design/dialog';
import { Checkbox, Field } from '../../../design/fields';
import { Await, Notice } from '../../../design/states';
import { useAction, useEvery, usePages, useRead } from '../../../graphql/hooks';
import { countText } from '../../../format.ts';
import { request as run } from '../../../graphql/request';
import { texts } from '../../../texts.ts';
import {
  APPLICATION_NAMES,
  MEMBER,
  MEMBERS,
  PERMISSION_TABLE,
  SET_PERMISSIONS,
  type MemberNode,
} from '../documents';
import { allowedBy, bucketName, BUCKETS } from '../permission-texts';
import { SecondPersonNote } from '../../second-person-note';

/** More are found by their names: thousands of boxes are slow, and nobody reads them. */
const SHOWN_APPLICATIONS = 20;

const words = texts(
  {
    permissionsOf: (name: string) => `Permissions of ${name}`,
    owner: 'In the whole organization',
    bucket: (application: string, bucket: string) => `${application}: ${bucket}`,
    all: 'All of these',
    save: 'Save the permissions',
    saving: 'Saving…',
    find: 'Application',
    findHint: (count: string) =>
      `Shown are ${SHOWN_APPLICATIONS} of ${count} applications, and those where something is chosen. Type part of a name to see others.`,
    effect: 'Changes take effect with the next request of this person.',
    second:
      'In your organization a permission to decide has no effect until another owner confirms it. You cannot grant yourself any.',
    changes: 'What changes',
    nothing: 'Nothing changes.',
    added: '+ added:',
    removed: '− removed:',
    only: (name: string) =>
      `${name} is the only one who grants permissions here. Grant members:manage to someone else first: the gateway refuses to remove it from the last one.`,
  },
  {
    fr: {
      permissionsOf: (name: string) => `Autorisations de ${name}`,
      owner: 'Dans toute l’organisation',
      bucket: (application: string, bucket: string) => `${application} : ${bucket}`,
      all: 'Toutes celles-ci',
      save: 'Enregistrer les autorisations',
      saving: 'Enregistrement…',
      find: 'Application',
      findHint: (count: string) =>
        `${SHOWN_APPLICATIONS} applications sur ${count} sont affichées, et celles où quelque chose est choisi. Écrivez une partie d’un nom pour en voir d’autres.`,
      effect: 'Les changements valent dès la prochaine requête de cette personne.',
      second:
        'Dans votre organisation, une autorisation de décider n’a aucun effet tant qu’un autre propriétaire ne l’a pas confirmée. Vous ne pouvez vous en accorder aucune.',
      changes: 'Ce qui change',
      nothing: 'Rien ne change.',
      added: '+ ajoutée :',
      removed: '− retirée :',
      only: (name: string) =>
        `${name} est la seule personne qui accorde ici des autorisations. Donnez d’abord members:manage à quelqu’un d’autre : la passerelle refuse de la retirer à la dernière.`,
    },
  },
);

const MANAGES = 'owner members:manage';

/** What a member holds: `owner members:manage`, `payments/auditor cases:create`. */
const heldBy = ({ permissions: { owner, applications } }: MemberNode): ReadonlySet<string> =>
  new Set([
    ...owner.map((name) => `owner ${name}`),
    ...applications.flatMap((one) =>
      BUCKETS.flatMap((bucket) => one[bucket].map((name) => `${one.foreignId}/${bucket} ${name}`)),
    ),
  ]);

/** The applications in which the keys name a permission. */
const applicationsIn = (keys: readonly string[]): ReadonlySet<string> =>
  new Set(keys.flatMap((key) => /^(.+)\/\w+ /.exec(key)?.[1] ?? []));

/**
 * The permissions to send: the member's current ones, plus those added and minus those removed in the dialog, so that
 * concurrent changes are preserved. Applications without a permission are omitted, because a request has room for a few
 * hundred.
 */
function changed(
  now: ReadonlySet<string>,
  shown: ReadonlySet<string>,
  chosen: ReadonlySet<string>,
): PermissionSet {
  const isKept = (key: string) => chosen.has(key) || !shown.has(key);
  const isAdded = (key: string) => !shown.has(key) && !now.has(key);
  const keys = [...[...now].filter(isKept), ...[...chosen].filter(isAdded)].sort();
  const named = (group: string) =>
    keys.flatMap((key) => (key.startsWith(`${group} `) ? [key.slice(group.length + 1)] : []));
  return {
    owner: named('owner'),
    applications: [...applicationsIn(keys)].map((foreignId) => ({
      foreignId,
      common: named(`${foreignId}/common`),
      administrator: named(`${foreignId}/administrator`),
      auditor: named(`${foreignId}/auditor`),
    })),
  };
}

type PermissionSet = VariablesOf<typeof SET_PERMISSIONS>['input']['permissions'];

const isManager = ({ permissions }: MemberNode) => permissions.owner.includes('members:manage');

export function ChangePermissions({
  member,
  onClose,
}: {
  readonly member: MemberNode;
  readonly onClose: () => void;
}) {
  // The state when the dialog opened: concurrent changes of others are not changes of this person.
  const [held] = useState(() => heldBy(member));
  const members = usePages(['members'], MEMBERS, {}, ({ members }) => members);
  // Nobody else does, among all of them.
  const isOnlyManager =
    !members.isPending &&
    !members.error &&
    !members.hasMore &&
    isManager(member) &&
    members.nodes.filter(isManager).length === 1;
  const [chosen, setChosen] = useState(held);
  const [part, setPart] = useState('');
  const table = useRead(['permissionTable'], PERMISSION_TABLE, {});
  const every = useEvery(
    ['applications', 'names'],
    APPLICATION_NAMES,
    {},
    ({ applications }) => applications,
  );
  const action = useAction(async () => {
    const now = heldBy((await run(MEMBER, { id: member.id })).member);
    return run(SET_PERMISSIONS, {
      input: { memberId: member.id, permissions: changed(now, held, chosen) },
    });
  }, [['members'], ['member'], ['viewer'], ['pendingPermissionGrants']]);
  const choose = (keys: readonly string[], isChosen: boolean) =>
    setChosen(new Set(isChosen ? [...chosen, ...keys] : [...chosen].filter((one) => !keys.includes(one))));
  const group = (title: string, id: string, bucket: string, permissions: readonly string[]) => (
    <fieldset key={id} className="fieldset">
      <legend>{title}</legend>
      {permissions.length > 1 && (
        <Checkbox
          name={`${id} all`}
          label={words.all}
          checked={permissions.every((permission) => chosen.has(`${id} ${permission}`))}
          onChange={(isChosen) =>
            choose(
              permissions.map((permission) => `${id} ${permission}`),
              isChosen,
            )
          }
        />
      )}
      {permissions.map((permission) => (
        <Checkbox
          key={permission}
          name={id}
          value={permission}
          label={permission}
          hint={allowedBy(bucket, permission)}
          checked={chosen.has(`${id} ${permission}`)}
          onChange={(isChosen) => choose([`${id} ${permission}`], isChosen)}
        />
      ))}
    </fieldset>
  );
  return (
    <FormLayer
      title={words.permissionsOf(member.name)}
      action={words.save}
      busy={words.saving}
      state={action}
      onClose={onClose}
      onSubmit={() => void action.run(undefined, onClose)}
    >
      <p>{words.effect}</p>
      <SecondPersonNote>{words.second}</SecondPersonNote>
      <Await reading={table}>
        {({ data: { permissionTable } }) => (
          <Await reading={every}>
            {(applications) => (
              <>
                {applications.length > SHOWN_APPLICATIONS && (
                  <Field
                    name="application"
                    label={words.find}
                    hint={words.findHint(countText(applications.length))}
                    value={part}
                    onChange={setPart}
                  />
                )}
                {permissionTable.map(({ name, permissions }) =>
                  name === 'owner'
                    ? group(words.owner, name, name, permissions)
                    : shownOf(applications, part, [...held, ...chosen]).map((application) =>
                        group(
                          words.bucket(application.name, bucketName(name)),
                          `${application.foreignId}/${name}`,
                          name,
                          permissions,
                        ),
                      ),
                )}
              </>
            )}
          </Await>
        )}
      </Await>
      <Changes held={held} chosen={chosen} applications={every.data ?? []} />
      {isOnlyManager && !chosen.has(MANAGES) && (
        <Notice tone="warn" isLive>
          {words.only(member.name)}
        </Notice>
      )}
    </FormLayer>
  );
}

interface Application {
  readonly foreignId: string;
  readonly name: string;
}

/** The first applications whose name or id has `part`, and all of which the keys name a permission. */
function shownOf(
  applications: readonly Application[],
  part: string,
  keys: readonly string[],
): readonly Application[] {
  const wanted = part.trim().toLowerCase();
  const named = applicationsIn(keys);
  let left = SHOWN_APPLICATIONS;
  return applications.filter(({ foreignId, name }) => {
    if (named.has(foreignId)) return true;
    return `${name} ${foreignId}`.toLowerCase().includes(wanted) && left-- > 0;
  });
}

/** The added and removed permissions, in words and with a sign: never only by color. */
function Changes({
  held,
  chosen,
  applications,
}: {
  readonly held: ReadonlySet<string>;
  readonly chosen: ReadonlySet<string>;
  readonly applications: readonly Application[];
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
              {words.added} <Permission of={key} applications={applications} />
            </li>
          ))}
          {removed.map((key) => (
            <li key={key}>
              {words.removed} <Permission of={key} applications={applications} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A permission in words: where it applies, and what it allows. */
function Permission({
  of: held,
  applications,
}: {
  readonly of: string;
  readonly applications: readonly Application[];
}) {
  const [group = '', permission = ''] = held.split(' ');
  const [foreignId = '', bucket] = group.split('/');
  const name = applications.find((one) => one.foreignId === foreignId)?.name ?? foreignId;
  return (
    <>
      {bucket === undefined ? words.owner : words.bucket(name, bucketName(bucket))} ·{' '}
      <code>{permission}</code> <span className="soft">{allowedBy(bucket ?? group, permission)}</span>
    </>
  );
}
