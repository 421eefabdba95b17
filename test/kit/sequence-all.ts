import { beginLogs, logLanes, type Sequencing } from '../../src/domain/activity-log/sequencing/sequencer.js';

/** Sequences what waits now, as one turn of the sequencer does, and waits for it. */
export async function sequenceAll(sequencing: Sequencing): Promise<void> {
  const lanes = logLanes();
  await beginLogs(sequencing, lanes, () => true);
  await lanes.ended();
}
