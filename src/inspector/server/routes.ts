/** The routes of the server, as `wire/routes.ts` lists them. */
import { RunNotFoundError } from '../../index.ts'
import { notFound, numberOf, pageOptionsIn, takenAs, textsOf, unavailable } from '../../kit/wire/index.ts'
import type { ContentGate } from '../files/content.ts'
import { detailOf, viewDetail } from '../files/details.ts'
import { searchEntries } from '../files/entry-search.ts'
import { readFile } from '../files/read-file.ts'
import type { RunFile } from '../files/run-file.ts'
import type { RunFiles } from '../files/run-files.ts'
import type { RunList, RunQuery } from '../files/run-list.ts'
import type { Action, ServiceInfo, StreamMessage } from '../wire/routes.ts'
import type { DryRuns } from '../dry/dry-runs.ts'
import { dryForkRun, endRun, forkRun, scriptRun, signalRun } from './acting.ts'
import type { Answer } from './answers.ts'
import { imageOf } from './blobs.ts'
import { compare } from './comparing.ts'
import { mermaid, recording, turtle, why } from './documents.ts'
import { numbersOf } from './numbers.ts'
import type { Call, Route } from './route-table.ts'
import type { AnsweredBy } from './answered-by.ts'
import type { InspectedService } from './service.ts'

/** The most hits of a page of a search. */
const mostHits = 100

export interface Inspected {
  readonly service: InspectedService
  readonly files: RunFiles
  readonly list: RunList
  readonly gate: ContentGate
  /** Absent: there are no agents to fork with. */
  readonly dry?: DryRuns | undefined
  readonly info: () => Promise<ServiceInfo>
  /** Who answers by a request, as the server knows. */
  readonly answeredBy: AnsweredBy
}

export function routesOf(inspected: Inspected): readonly Route[] {
  const { service, files, list, gate, dry, info, answeredBy } = inspected
  const mayShow = (runId: string): Promise<boolean> => list.mayShow(dry?.originOf(runId) ?? runId)

  /** Answers about a run that is shown. */
  const ofRun =
    (answer: (runId: string, call: Call) => Promise<Answer>) =>
    async (call: Call): Promise<Answer> => {
      const { id = '' } = call.named
      if (!(await mayShow(id))) throw new RunNotFoundError(id)
      return answer(id, call)
    }
  /** Answers from the rows of a run. */
  const ofFile = (answer: (file: RunFile, call: Call) => Promise<Answer>) =>
    ofRun((runId, call) => files.use(runId, (file) => answer(file, call)))
  /** Answers from the rows that are there while the others are still replayed. */
  const ofBegunFile = (answer: (file: RunFile, call: Call) => Promise<Answer>) =>
    ofRun((runId, call) => files.use(runId, (file) => answer(file, call), 'begun'))
  /** An action that may be unavailable. */
  const acting =
    (action: Action, answer: (call: Call) => Promise<Answer>) =>
    async (call: Call): Promise<Answer> => {
      const reason = (await info()).unavailable[action]
      if (reason !== undefined) throw unavailable(reason)
      return answer(call)
    }

  return [
    { method: 'GET', path: '/service', answer: async () => ({ json: await info() }) },
    {
      method: 'GET',
      path: '/health',
      answer: acting('stats', async () => ({ json: await numbersOf(service) })),
    },
    {
      method: 'GET',
      path: '/runs',
      answer: async ({ query }) => ({
        json: await takenAs(() =>
          list.runs({
            ...runPageIn(query),
            ...textsOf(query, 'agent', 'resourceId', 'status', 'outcome', 'code', 'text'),
            ...sinceIn(query, 'startedSince'),
            ...sinceIn(query, 'changedSince'),
          }),
        ),
      }),
    },
    {
      method: 'GET',
      path: '/awaiting',
      answer: async ({ query }) => ({
        json: await takenAs(() => list.questions({ ...pageOptionsIn(query), ...textsOf(query, 'runId') })),
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id',
      answer: ofRun(async (runId) => ({ json: await list.run(runId) })),
    },
    {
      method: 'GET',
      path: '/runs/:id/charts',
      answer: ofBegunFile(async (file) => ({ json: file.charts })),
    },
    {
      method: 'GET',
      path: '/runs/:id/stream',
      answer: ofRun(async (runId, { query, signal }) => {
        const from = numberOf(query.get('from') ?? '0', 'from')
        const series = query.get('series') ?? undefined
        return { lines: streamed(files, runId, { from, series, signal }) }
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/rows/:row',
      answer: ofBegunFile(async (file, { named }) => {
        const entry = await file.entryOnce(numberOf(named['row'], 'row'))
        if (entry === undefined) throw notFound(`row ${named['row']} of the run "${file.runId}"`)
        return { json: (await gate.entry(file.runId, detailOf(entry))) ?? withheld() }
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/details',
      answer: ofBegunFile(async (file, { query }) => {
        const from = numberOf(query.get('from') ?? '0', 'from')
        const to = Math.min(numberOf(query.get('to') ?? '0', 'to'), from + mostDetails)
        await file.entryOnce(to - 1)
        const details = file.entries
          .slice(from, to)
          .map(async (entry) => (await gate.entry(file.runId, detailOf(entry))) ?? null)
        return { json: await Promise.all(details) }
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/view/:row',
      answer: ofFile(async (file, { named, query }) => {
        const actor = file.view(numberOf(named['row'], 'row'), query.get('path') ?? undefined)
        if (actor === undefined) throw notFound('this moment of the run: there is no such actor')
        return { json: (await gate.actor(file.runId, viewDetail(actor))) ?? withheld() }
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/search',
      answer: ofFile(async (file, { query }) => {
        const { entries, runId } = file
        const read = async (row: number) => {
          const entry = entries[row]
          return entry === undefined ? undefined : gate.entry(runId, detailOf(entry))
        }
        const from = numberOf(query.get('from') ?? '0', 'from')
        const options = { text: query.get('text') ?? '', from, length: entries.length, limit: mostHits }
        return { json: await searchEntries(read, options) }
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/summary',
      answer: ofFile(async (file) => ({
        json: (await gate.summary(file.runId, await file.summary())) ?? withheld(),
      })),
    },
    {
      method: 'GET',
      path: '/runs/:id/compare/:other',
      answer: ofFile(async (file, { named }) => {
        const { other = '' } = named
        if (!(await mayShow(other))) throw new RunNotFoundError(other)
        return files.use(other, async (second) => ({ json: await compare(file, second, gate) }))
      }),
    },
    {
      method: 'GET',
      path: '/runs/:id/why',
      answer: acting(
        'why',
        ofFile(async (file) => ({ json: await why(file) })),
      ),
    },
    { method: 'GET', path: '/runs/:id/turtle', answer: acting('turtle', ofFile(turtle)) },
    {
      method: 'GET',
      path: '/runs/:id/recording',
      answer: acting(
        'recording',
        ofRun((runId) => {
          if (dry?.has(runId) === true) throw unavailable('A dry fork was made up: it is no recording.')
          return recording(service, runId)
        }),
      ),
    },
    {
      method: 'GET',
      path: '/runs/:id/mermaid',
      answer: ofBegunFile(async (file, { query }) => mermaid(file.charts, query.get('machine') ?? '')),
    },
    {
      method: 'GET',
      path: '/blobs/:ref',
      answer: acting('blobs', ({ named, query }) => imageOf(service, named['ref'] ?? '', query.get('type'))),
    },
    {
      method: 'POST',
      path: '/runs/:id/signal',
      answer: acting(
        'signal',
        ofRun(async (runId, call) => {
          const by = await answeredBy(call.request)
          await signalRun(service, runId, await call.body(), by)
          return 'done'
        }),
      ),
    },
    {
      method: 'POST',
      path: '/runs/:id/end',
      answer: acting(
        'end',
        ofRun(async (runId, call) => {
          await endRun(service, runId, await call.body())
          return 'done'
        }),
      ),
    },
    {
      method: 'POST',
      path: '/runs/:id/fork',
      answer: acting(
        'fork',
        ofRun(async (runId, call) => ({ json: await forkRun(service, runId, await call.body()) })),
      ),
    },
    {
      method: 'POST',
      path: '/runs/:id/dry',
      answer: acting(
        'dry',
        ofRun(async (runId, call) => ({
          json: await dryForkRun({ service, dry: known(dry) }, runId, await call.body()),
        })),
      ),
    },
    {
      method: 'POST',
      path: '/runs/:id/script',
      answer: acting(
        'dry',
        ofRun(async (runId, call) => {
          await scriptRun(known(dry), runId, await call.body())
          return 'done'
        }),
      ),
    },
    {
      method: 'DELETE',
      path: '/runs/:id',
      answer: acting(
        'delete',
        ofRun(async (runId) => {
          await service.delete(runId)
          files.forget(runId)
          return 'done'
        }),
      ),
    },
  ]
}

/** The most entries that are sent whole at once. */
const mostDetails = 100

/** Runs have more orders than other lists. */
function runPageIn(query: URLSearchParams): Pick<RunQuery, 'limit' | 'before' | 'order'> {
  const others = new URLSearchParams(query)
  others.delete('order')
  return { ...pageOptionsIn(others), ...textsOf(query, 'order') }
}

function sinceIn(query: URLSearchParams, name: 'startedSince' | 'changedSince'): Partial<RunQuery> {
  const text = query.get(name)
  return text === null ? {} : { [name]: numberOf(text, name) }
}

/** The stream uses the file of the run until its reader has left. */
async function* streamed(
  files: RunFiles,
  runId: string,
  options: Parameters<typeof readFile>[1],
): AsyncGenerator<StreamMessage, void> {
  const { file, release } = await files.open(runId, 'begun')
  try {
    yield* readFile(file, options)
  } finally {
    release()
  }
}

function known(dry: DryRuns | undefined): DryRuns {
  return dry ?? withheld()
}

function withheld(): never {
  throw unavailable('This part of the run is withheld.')
}
