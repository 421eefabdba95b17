/** Whether so many are more than half of the configured providers: at least one of them is honest if most are. */
export const isMajority = (count: number, configured: number) => 2 * count > configured;
