import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { APPLICATION_PLACES, holdsOwner, PLACE_NAMES } from '../../app/places.ts';
import { useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { FormLayer } from '../../design/dialog';
import { Field } from '../../design/fields';
import { Listing } from '../../design/states';
import { Table } from '../../design/table';
import { Code, None, Time } from '../../design/values';
import { useAction, usePages } from '../../graphql/hooks';
import { request as run } from '../../graphql/request';
import { texts } from '../../texts.ts';
import { APPLICATIONS, CREATE_APPLICATION } from './documents';
import { NextSteps } from './next-steps';
import { PageHead } from './page';

const words = texts(
  {
    create: 'Create an application…',
    title: 'Create an application',
    about:
      'An application groups assets, with their cases, reports and addresses. Next, assign assets to it, and grant people permissions in it.',
    action: 'Create the application',
    busy: 'Creating…',
    name: 'Name',
    foreignId: 'Short name (foreignId)',
    foreignIdHint:
      'For page addresses and the API: lower-case letters, digits and hyphens. It cannot be changed.',
    empty: 'There is no application. An application groups assets, its cases and its addresses.',
    noneOfYours: 'You have no permission in an application: those of the organization are hidden from you.',
    check: 'Id for address checks',
    checkId: 'the check id',
    approved: 'Listed addresses',
    assets: 'Assets',
    created: 'Created',
  },
  {
    fr: {
      create: 'Créer une application…',
      title: 'Créer une application',
      about:
        'Une application réunit des actifs, avec leurs dossiers, rapports et adresses. Attribuez-lui ensuite des actifs, et accordez-y des autorisations.',
      action: 'Créer l’application',
      busy: 'Création…',
      name: 'Nom',
      foreignId: 'Nom court (foreignId)',
      foreignIdHint:
        'Pour les adresses des pages et l’API : minuscules, chiffres et traits d’union. Il ne peut pas être changé.',
      empty:
        'Il n’y a pas d’application. Une application réunit des actifs, leurs dossiers et leurs adresses.',
      noneOfYours:
        'Vous n’avez d’autorisation dans aucune application : celles de l’organisation vous sont cachées.',
      check: 'Identifiant pour le contrôle d’adresses',
      checkId: 'l’identifiant de contrôle',
      approved: 'Adresses de la liste',
      assets: 'Actifs',
      created: 'Créée',
    },
  },
);

export function Applications() {
  const [isOpen, setOpen] = useState(false);
  const [created, setCreated] = useState<{ readonly foreignId: string; readonly name: string }>();
  const { permissions } = useViewer();
  const pages = usePages(['applications'], APPLICATIONS, {}, ({ applications }) => applications);
  const action = useAction(
    (input: { name: string; foreignId: string }) => run(CREATE_APPLICATION, { input }),
    [['applications'], ['permissionTable']],
  );
  const close = () => {
    setOpen(false);
    action.reset();
  };
  return (
    <>
      <PageHead
        title={PLACE_NAMES.applications}
        action={
          holdsOwner(permissions, 'applications:create') && (
            <Button variant="primary" onPress={() => setOpen(true)}>
              {words.create}
            </Button>
          )
        }
      />
      {created && <NextSteps {...created} />}
      <Listing
        pages={pages}
        empty={holdsOwner(permissions, 'applications:read') ? words.empty : words.noneOfYours}
      >
        {(nodes) => (
          <Table
            label={PLACE_NAMES.applications}
            rows={nodes}
            keyOf={({ foreignId }) => foreignId}
            columns={[
              {
                name: words.name,
                cell: ({ name, foreignId }) => {
                  const [first] = APPLICATION_PLACES.filter(({ isShown }) => isShown(permissions, foreignId));
                  return first ? (
                    <Link to={first.to} params={{ app: foreignId }}>
                      {name}
                    </Link>
                  ) : (
                    name
                  );
                },
              },
              { name: words.foreignId, cell: ({ foreignId }) => <code>{foreignId}</code> },
              {
                name: words.check,
                cell: ({ checkApplicationId }) =>
                  checkApplicationId === null ? (
                    <None />
                  ) : (
                    <Code value={checkApplicationId} what={words.checkId} />
                  ),
              },
              // Who manages the addresses of every application may have no other place in it.
              ...(holdsOwner(permissions, 'addresses:manage')
                ? [
                    {
                      name: PLACE_NAMES.addresses,
                      cell: ({ foreignId }: { readonly foreignId: string }) => (
                        <Link to="/a/$app/addresses" params={{ app: foreignId }}>
                          {words.approved}
                        </Link>
                      ),
                    },
                  ]
                : []),
              {
                name: words.assets,
                cell: ({ assets }) =>
                  assets.nodes.length === 0 ? (
                    <None />
                  ) : (
                    <>
                      {assets.nodes.map(({ id, symbol }, index) => (
                        <Fragment key={id}>
                          {index > 0 && ', '}
                          <Link to="/organization/assets/$id" params={{ id }}>
                            {symbol}
                          </Link>
                        </Fragment>
                      ))}
                      {assets.pageInfo.hasNextPage && ', …'}
                    </>
                  ),
              },
              { name: words.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Listing>
      {isOpen && (
        <FormLayer
          title={words.title}
          action={words.action}
          busy={words.busy}
          state={action}
          onClose={close}
          onSubmit={(values) => {
            const input = { name: values.text('name'), foreignId: values.text('foreignId') };
            void action.run(input, () => {
              close();
              setCreated(input);
            });
          }}
        >
          <p>{words.about}</p>
          <Field name="name" label={words.name} isRequired maxLength={128} />
          <Field
            name="foreignId"
            label={words.foreignId}
            hint={words.foreignIdHint}
            isRequired
            maxLength={64}
            isMono
          />
        </FormLayer>
      )}
    </>
  );
}
