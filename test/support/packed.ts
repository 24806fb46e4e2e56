const { TEST_PACKED } = process.env

/** Flags for Node with which a child runs what `npm test` has packed, which starts in half the time; none where nothing is. */
export const PACKED_FLAGS: readonly string[] = TEST_PACKED ? ['--import', TEST_PACKED] : []
