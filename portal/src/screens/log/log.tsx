import type { EventType } from '../../../../src/domain/activity-log/event-types.ts';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { holds, holdsOwner } from '../../app/places.ts';
import { applicationName, useViewer } from '../../app/session';
import { Button } from '../../design/button';
import { DayBars } from '../../design/bars';
import { Field, Form, Select } from '../../design/fields';
import { Heading } from '../../design/heading';
import { Card, Notice } from '../../design/states';
import { useEvery, useLive, useOne, usePages, type Pages } from '../../graphql/hooks';
import { texts } from '../../texts.ts';
import { Name } from '../names';
import { logSearch } from '../search.ts';
import { CompareCheckpoint } from './compare-checkpoint';
import {
  ACTIVITY_ADDED,
  LOG,
  LOG_ACTORS,
  ONE_ENTRY,
  provenEntries,
  provenEntry,
  type EntryNode,
} from './documents';
import { actorOf, Entries } from './entries';
import { EVENT_WORDS } from './event-words.ts';
import { Export } from './export';
import type { Exported } from './exported-file';
import { LogMark } from './log-mark';

const words = texts(
  {
    title: 'Activity log',
    activity: 'Activity',
    what: 'What was done',
    everything: 'Everything',
    from: 'From (UTC)',
    to: 'To (UTC)',
    apply: 'Show',
    clear: 'Clear',
    export: 'Export with proofs…',
    filters: 'Filters',
    who: 'Who',
    everyone: 'Everyone',
    onlyOf: 'Only what was done to this is shown:',
    onlyEntry: 'Only one entry of the log is shown.',
    chart: 'Entries by day, of those that are loaded',
    day: 'Day',
    entries: 'Entries',
  },
  {
    fr: {
      title: 'Journal d’activité',
      activity: 'Activité',
      what: 'Ce qui a été fait',
      everything: 'Tout',
      from: 'Du (UTC)',
      to: 'Au (UTC)',
      apply: 'Afficher',
      clear: 'Effacer les filtres',
      export: 'Exporter avec les preuves…',
      filters: 'Filtres',
      who: 'Qui',
      everyone: 'Tout le monde',
      onlyOf: 'Seul ce qui a été fait à ceci est affiché :',
      onlyEntry: 'Une seule entrée du journal est affichée.',
      chart: 'Entrées par jour, parmi celles qui sont chargées',
      day: 'Jour',
      entries: 'Entrées',
    },
  },
);

export interface LogSearch {
  readonly event?: EventType;
  readonly from?: string;
  readonly to?: string;
  /** Id of who acted. */
  readonly by?: string;
  /** Id of the object. */
  readonly of?: string;
  /** Id or index of the only entry that is shown. */
  readonly entry?: string | number;
}

export function OrganizationLog() {
  const viewer = useViewer();
  const search = useSearch({ from: '/signed-in/organization/log' });
  const navigate = useNavigate();
  return (
    <LogView
      app={undefined}
      above={viewer.organization.name}
      search={search}
      onSearch={(changed) => void navigate({ to: '/organization/log', search: changed })}
    />
  );
}

export function ApplicationLog() {
  const { app } = useParams({ from: '/signed-in/a/$app/log' });
  const viewer = useViewer();
  const search = useSearch({ from: '/signed-in/a/$app/log' });
  const navigate = useNavigate();
  return (
    <LogView
      app={app}
      above={applicationName(viewer, app)}
      search={search}
      onSearch={(changed) => void navigate({ to: '/a/$app/log', params: { app }, search: changed })}
    />
  );
}

const entryOf = (entry: string | number) => (typeof entry === 'number' ? { index: entry } : { id: entry });

const filtersOf = ({ event, from, to, by, of: objectId }: LogSearch): Exported => ({
  ...(event ? { eventType: event } : {}),
  ...(by ? { userId: by } : {}),
  ...(objectId ? { objectId } : {}),
  ...(from ? { from: `${from}T00:00:00.000Z` } : {}),
  ...(to ? { to: `${to}T23:59:59.999Z` } : {}),
});

function LogView({
  app,
  above,
  search,
  onSearch,
}: {
  readonly app: string | undefined;
  readonly above: string;
  readonly search: LogSearch;
  readonly onSearch: (search: LogSearch) => void;
}) {
  const { permissions } = useViewer();
  // Nothing is offered that would be refused.
  const mayRead =
    holdsOwner(permissions, 'logs:view_activity') ||
    (app !== undefined && holds(permissions, app, 'common', 'logs:view_activity'));
  const [isExporting, setExporting] = useState(false);
  const within: Exported = { ...(app === undefined ? {} : { foreignId: app }), ...filtersOf(search) };
  const foreignId = app === undefined ? {} : { foreignId: app };
  const actors = useEvery(['logActors', app], LOG_ACTORS, foreignId, ({ logActors }) => logActors).data ?? [];
  const isOne = search.entry !== undefined;
  const one = useOne(
    ['activityEntry', search.entry],
    ONE_ENTRY,
    entryOf(search.entry ?? ''),
    ({ activityEntry }) => provenEntry(activityEntry),
    { enabled: isOne },
  );
  const listed = usePages(
    ['activityLog', app],
    LOG,
    within,
    ({ activityLog }) => provenEntries(activityLog),
    { enabled: !isOne },
  );
  const pages = isOne ? one : listed;
  useLive(
    ACTIVITY_ADDED,
    app === undefined ? {} : { foreignId: app },
    ({ activityAdded }) => activityAdded.cursor,
    [['activityLog', app], ['logState']],
  );
  return (
    <>
      <header className="row between">
        <div>
          <p className="soft">{above}</p>
          <Heading title={app === undefined ? words.title : words.activity} />
        </div>
        <div className="row">
          <LogMark />
          <CompareCheckpoint />
          {mayRead && <Button onPress={() => setExporting(true)}>{words.export}</Button>}
        </div>
      </header>
      {mayRead && (
        <Form
          key={JSON.stringify(search)}
          problem={undefined}
          className="row end-aligned"
          onSubmit={(values) => {
            const chosen = ['event', 'by', 'from', 'to'].map((name) => [name, values.text(name)]);
            onSearch(logSearch({ ...Object.fromEntries(chosen), of: search.of }));
          }}
        >
          <Select
            name="event"
            label={words.what}
            defaultValue={search.event ?? ''}
            options={[
              { value: '', label: words.everything },
              ...Object.entries(EVENT_WORDS).map(([value, label]) => ({ value, label })),
            ]}
          />
          <Select
            key={actors.length}
            name="by"
            label={words.who}
            defaultValue={search.by ?? ''}
            options={[
              { value: '', label: words.everyone },
              ...actors.map(({ id, name }) => ({ value: id, label: actorOf({ user: name, userId: id }) })),
              // Also one that is not listed, or not yet: the form would otherwise end the filter.
              ...(search.by === undefined || actors.some(({ id }) => id === search.by)
                ? []
                : [{ value: search.by, label: search.by }]),
            ]}
          />
          <Field name="from" type="date" label={words.from} defaultValue={search.from ?? ''} />
          <Field name="to" type="date" label={words.to} defaultValue={search.to ?? ''} />
          <div className="row">
            <Button type="submit">{words.apply}</Button>
            {Object.keys(search).length > 0 && (
              <Button variant="quiet" onPress={() => onSearch({})}>
                {words.clear}
              </Button>
            )}
          </div>
        </Form>
      )}
      <DayChart pages={pages} />
      {search.of !== undefined && (
        <Notice>
          <p>
            {words.onlyOf} <Name id={search.of} app={app ?? pages.nodes[0]?.foreignId ?? undefined} />
          </p>
        </Notice>
      )}
      {isOne && <Notice>{words.onlyEntry}</Notice>}
      <Entries
        key={search.entry}
        pages={pages}
        isOne={isOne}
        isWhole={app === undefined && Object.keys(search).length === 0}
        onActor={(by) => onSearch(logSearch({ ...search, by, entry: undefined }))}
        onObject={(objectId) => onSearch(logSearch({ ...search, of: objectId, entry: undefined }))}
      />
      {isExporting && <Export exported={within} onClose={() => setExporting(false)} />}
    </>
  );
}

function DayChart({ pages }: { readonly pages: Pages<EntryNode> }) {
  const days = Map.groupBy(pages.nodes, ({ createdAt }) => createdAt.slice(0, 10));
  if (days.size < 2) return null;
  return (
    <Card>
      <DayBars
        title={words.chart}
        dayColumn={words.day}
        valueColumn={words.entries}
        bars={[...days].map(([day, entries]) => ({ day, value: entries.length }))}
      />
    </Card>
  );
}
