import { beginLogs, logLanes, type Sequencing } from '../../src/domain/activity-log/sequencing/sequencer.js';

/** Sequences all waiting entries, like one turn of the sequencer. */
export async function sequenceAll(sequencing: Sequencing): Promise<void> {
  const lanes = logLanes();
  await beginLogs(sequencing, lanes, () => true);
  await lanes.ended();
}
