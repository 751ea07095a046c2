/** A known sequence of transactions, to write in one process and to compare with in another. */
import type { WholeStore } from 'troupe'
import { appends, fired, message, settled, started } from '../support/journal-entries.ts'

/** Writes the transaction of this number, from 1, which changes several tables or several runs. */
export async function writeTransaction(store: WholeStore, number: number): Promise<void> {
  const size = (number * 977) % 6_000
  if (number === 1) await store.append([...appends('a', [started('a')]), ...appends('b', [started('b')])])
  else if (number === 24) await store.append([...appends('a', [settled(24)]), ...appends('b', [settled(24)])])
  else if (number % 6 === 0)
    await store.memory.save('t', [
      message(`${number}`, 'm'.repeat(size), number),
      message('last', 'x', number),
    ])
  else if (number % 7 === 0) await store.enqueueSignal('b', { type: 'cancel', reason: `reason ${number}` })
  else {
    const both = [...appends('a', [fired(number, size)]), ...appends('b', [fired(number), fired(number, 50)])]
    await store.append(both)
  }
}

export const transactionCount = 24

/** What a store holds of these, as plain data. It leaves the post as it is. */
export async function snapshotOf(store: WholeStore): Promise<unknown> {
  return {
    a: await store.read('a'),
    b: await store.read('b'),
    list: (await store.list('runs', {})).items,
    threads: await store.memory.threads({}),
    messages: await store.memory.messages('t', {}),
  }
}
