import { applicationName, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { Card, Listing, Problem, Await } from '../../design/states';
import { Fact, Facts, Table } from '../../design/table';
import { Time } from '../../design/values';
import { useAction, usePages, useRead } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { Name } from '../names';
import { CONFIRM_GRANT, PENDING_GRANTS, PROPOSED_OPERATIONS } from './documents';

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

/** An id as the gateway makes them. */
const ID = /^[a-z]{3}_[0-9a-z]{26}$/;

/** What a proposal would do, value by value: what has an id by its name. */
function Values({ input }: { readonly input: Readonly<Record<string, unknown>> }) {
  const viewer = useViewer();
  const { foreignId } = input;
  const app = typeof foreignId === 'string' ? foreignId : undefined;
  return (
    <Facts>
      {Object.entries(input).map(([name, value]) => (
        <Fact key={name} name={<code>{name}</code>}>
          {name === 'foreignId' && app !== undefined ? (
            `${applicationName(viewer, app)} (${app})`
          ) : typeof value === 'string' && ID.test(value) ? (
            <Name id={value} app={app} />
          ) : (
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          )}
        </Fact>
      ))}
    </Facts>
  );
}

/** Deciding permissions that one owner granted and another has yet to confirm. */
export function PendingGrants({ isShownEmpty = true }: { readonly isShownEmpty?: boolean }) {
  const { user } = useViewer();
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
              { name: words.receives, cell: ({ userId }) => <Name id={userId} /> },
              { name: words.application, cell: ({ foreignId }) => foreignId ?? words.organization },
              { name: words.granted, cell: ({ grantedBy }) => <Name id={grantedBy} /> },
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
                { name: words.input, cell: ({ input }) => <Values input={input} /> },
                { name: words.by, cell: ({ proposedBy }) => <Name id={proposedBy} /> },
                { name: words.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
              ]}
            />
          )
        }
      </Await>
    </Card>
  );
}
