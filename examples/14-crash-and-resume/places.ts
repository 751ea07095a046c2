/** What the processes of this example have in common. */
import { join } from 'node:path'

export const order = 'Order A-17: one desk lamp, 89.90 euros, to be charged to the card.'

/** Milliseconds until a run whose process has died may be taken by another; in production rather half a minute. */
export const leaseTtl = 1_000

export const storeIn = (folder: string): string => join(folder, 'runs.db')
export const bankIn = (folder: string): string => join(folder, 'bank.jsonl')
