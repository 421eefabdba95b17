import { holdsOwner } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Card, Listing, Problem, Await } from '../../design/states';
import { Table } from '../../design/table';
import { Code, Time } from '../../design/values';
import { useAction, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { CONFIRM_GRANT, NAMES, PENDING_GRANTS, PROPOSED_OPERATIONS } from './documents';

const words = texts(
  {
    grants: 'Permissions that wait for a second person',
    grantsText: 'Each has no effect until an owner confirms it who neither granted nor receives it.',
    noGrants: 'No permission waits.',
    permission: 'Permission',
    receives: 'For',
    granted: 'Granted by',
    application: 'Application',
    organization: 'the organization',
    time: 'When',
    own: 'Another owner confirms it',
    confirm: 'Confirm',
    confirming: 'Confirming…',
    operations: 'What was proposed',
    operationsText:
      'Each takes effect when another person asks for the same at its place, with the same values.',
    noOperations: 'Nothing is proposed.',
    operation: 'Operation',
    input: 'Values',
    by: 'Proposed by',
    expires: 'Expires',
  },
  {
    fr: {
      grants: 'Autorisations qui attendent une seconde personne',
      grantsText:
        'Aucune n’a d’effet tant qu’un propriétaire qui ne l’a ni accordée ni reçue ne l’a confirmée.',
      noGrants: 'Aucune autorisation n’attend.',
      permission: 'Autorisation',
      receives: 'Pour',
      granted: 'Accordée par',
      application: 'Application',
      organization: 'l’organisation',
      time: 'Quand',
      own: 'Un autre propriétaire la confirme',
      confirm: 'Confirmer',
      confirming: 'Confirmation…',
      operations: 'Ce qui est proposé',
      operationsText:
        'Chacune prend effet quand une autre personne demande la même chose à son endroit, avec les mêmes valeurs.',
      noOperations: 'Rien n’est proposé.',
      operation: 'Opération',
      input: 'Valeurs',
      by: 'Proposé par',
      expires: 'Expire',
    },
  },
);

/** The name of a member where it can be read, the id otherwise. */
function useNames() {
  const { permissions } = useViewer();
  const { data } = useRead(
    ['members', 'names'],
    NAMES,
    {},
    { enabled: holdsOwner(permissions, 'members:manage') },
  );
  return (id: string) =>
    data?.data.members.nodes.find((member) => member.id === id)?.name ?? <Code value={id} ends={6} />;
}

/** Deciding permissions that one owner granted and another has yet to confirm. */
export function PendingGrants({ isShownEmpty = true }: { readonly isShownEmpty?: boolean }) {
  const { user } = useViewer();
  const nameOf = useNames();
  const pages = usePages(
    ['pendingPermissionGrants'],
    PENDING_GRANTS,
    {},
    ({ pendingPermissionGrants }) => pendingPermissionGrants,
  );
  const confirm = useAction(
    (id: string) => run(CONFIRM_GRANT, { id }),
    [['pendingPermissionGrants'], ['members']],
  );
  if (!isShownEmpty && pages.nodes.length === 0) return null;
  return (
    <Card title={words.grants}>
      <p className="soft">{words.grantsText}</p>
      {confirm.problem && <Problem problem={confirm.problem} />}
      <Listing pages={pages} empty={words.noGrants}>
        {(nodes) => (
          <Table
            label={words.grants}
            rows={nodes}
            keyOf={({ id }) => id}
            columns={[
              { name: words.permission, cell: ({ permission }) => permission },
              { name: words.receives, cell: ({ userId }) => nameOf(userId) },
              { name: words.application, cell: ({ foreignId }) => foreignId ?? words.organization },
              { name: words.granted, cell: ({ grantedBy }) => nameOf(grantedBy) },
              { name: words.time, cell: ({ createdAt }) => <Time at={createdAt} /> },
              {
                name: words.confirm,
                cell: ({ id, userId, grantedBy, permission }) =>
                  user?.id === userId || user?.id === grantedBy ? (
                    <span className="soft">{words.own}</span>
                  ) : (
                    <Button
                      label={`${words.confirm}: ${permission}`}
                      busy={confirm.isRunning && words.confirming}
                      onPress={() => void confirm.run(id)}
                    >
                      {words.confirm}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Listing>
    </Card>
  );
}

/** What one person proposed and nobody has asked for too. */
export function ProposedOperations({ isShownEmpty = true }: { readonly isShownEmpty?: boolean }) {
  const nameOf = useNames();
  const reading = useRead(['proposedOperations'], PROPOSED_OPERATIONS, {});
  if (!isShownEmpty && !reading.data?.data.proposedOperations?.length) return null;
  return (
    <Card title={words.operations}>
      <p className="soft">{words.operationsText}</p>
      <Await reading={reading} lines={1}>
        {({ data: { proposedOperations } }) =>
          proposedOperations.length === 0 ? (
            <p>{words.noOperations}</p>
          ) : (
            <Table
              label={words.operations}
              rows={proposedOperations}
              keyOf={({ operation, input }) => `${operation} ${JSON.stringify(input)}`}
              columns={[
                { name: words.operation, cell: ({ operation }) => <code>{operation}</code> },
                { name: words.input, cell: ({ input }) => <code>{JSON.stringify(input)}</code> },
                { name: words.by, cell: ({ proposedBy }) => nameOf(proposedBy) },
                { name: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              ]}
            />
          )
        }
      </Await>
    </Card>
  );
}
