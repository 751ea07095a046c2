/** What both workers of the test know. */
export const limits = [{ per: 'total', modelCalls: 1 }] as const

/** Milliseconds. */
export const leaseTtl = 1_500
