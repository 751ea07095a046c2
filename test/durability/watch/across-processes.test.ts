/** A second process watches the run of a first one. Both are killed in the midst of it, and others go on. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTroupe, type RunEvent } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { expect, test } from 'vitest'
import { Forked } from '../../support/processes/forked.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createCrew, stamps } from './crew.ts'
import type { WatchNews, WatchProcessOptions } from './watch-process.ts'

const patiently = { timeout: 120_000, interval: 20 }

/** After these stamps the process that watches is killed, and another goes on behind the last event that was written. */
const watcherDies = [2, 5, 6, 9]
/** After this one the process that has the run is killed, and another takes the run. */
const ownerDies = 7

test('every event on record is seen once, and every text once', async () => {
  using folder = temporaryFolder()
  const into = folder.file('seen.jsonl')
  const options = { folder: folder.path, leaseTtl: 2_000 }
  const begin = (does: WatchProcessOptions['does']): Forked<WatchNews> =>
    new Forked<WatchNews>(join(import.meta.dirname, 'watch-process.ts'), [
      JSON.stringify({ ...options, does }),
    ])
  const seen = (): RunEvent[] =>
    existsSync(into)
      ? readFileSync(into, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as RunEvent)
      : []

  let owner = begin({ verb: 'start' })
  const { runId } = await owner.hears('started')
  let watcher = begin({ verb: 'watch', runId, into })
  try {
    for (let stamp = 0; stamp < stamps; stamp++) {
      await expect
        .poll(() => seen().some((event) => isCall(event, stamp)) || watcher.stderr, patiently)
        .toBe(true)
      if (watcherDies.includes(stamp)) {
        await watcher.kill()
        const after = seen().at(-1)?.cursor
        expect(after).toBeDefined()
        watcher = begin({ verb: 'watch', runId, into, ...(after === undefined ? {} : { after }) })
      }
      if (stamp === ownerDies) {
        await owner.kill()
        owner = begin({ verb: 'recover' })
        await owner.hears('recovered')
      }
      writeFileSync(folder.file(`stamp-${stamp}`), '')
    }
    await watcher.hears('watched')
  } finally {
    await watcher[Symbol.asyncDispose]()
    await owner[Symbol.asyncDispose]()
  }

  const store = sqliteStore(folder.file('runs.db'))
  const troupe = createTroupe({ agents: [createCrew(folder.path)], store })
  const { events, result } = await troupe.replay(runId)
  expect(result).toMatchObject({ outcome: 'completed', text: 'It is done, all of it.' })
  const told = seen()
  const onRecord = told.filter(({ seq }) => seq !== undefined)
  expect(onRecord.map(withoutCursor)).toEqual(events.map(withoutCursor))
  expect(textsOf(told)).toEqual(textsOf(events))
  expect(Object.keys(textsOf(events))).toHaveLength(stamps + 3)
  await troupe.close()
  await store.close()
})

function isCall(event: RunEvent, stamp: number): boolean {
  return (
    event.type === 'tool-call' &&
    event.agent === 'clerk' &&
    event.payload.toolCallId.includes(`call:${stamp + 1}.`)
  )
}

function withoutCursor({ cursor: _cursor, ...event }: RunEvent): object {
  return event
}

/** The text of each message: as its deltas say it. */
function textsOf(events: readonly RunEvent[]): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (event.type === 'text-delta' && event.messageId !== undefined)
      texts[event.messageId] = (texts[event.messageId] ?? '') + event.payload.text
  }
  return texts
}
