/** The list of runs, and the inbox of questions: what the caller may see, page by page. */
import { ConfigurationError, type Page } from '../../index.ts'
import {
  type Call,
  assertNames,
  pageNames,
  pageOptionsIn,
  textsOf,
  wrongRequest,
} from '../../kit/wire/index.ts'
import type { ServedQuestion, ServedRun } from '../access/authorize.ts'
import { narrowed } from '../access/gate.ts'
import { servedQuestion, servedRun } from '../access/served-run.ts'
import type { Serving } from '../serving/serving.ts'

const runNames = ['agent', 'threadId', 'conversationId'] as const
const questionNames = [...runNames, 'runId'] as const

export async function listRuns({ service, gate }: Serving, { request, url }: Call): Promise<Page<ServedRun>> {
  const allowed = await gate.toList(request, 'runs')
  assertNames(url.searchParams, [...pageNames, ...runNames])
  const filter = narrowed(allowed, {
    ...pageOptionsIn(url.searchParams),
    ...textsOf(url.searchParams, ...runNames),
  })
  if (filter === undefined) return { items: [] }
  const { items, next } = await pageFrom(() => service.runs(filter), filter)
  return { items: items.map(servedRun), ...(next === undefined ? {} : { next }) }
}

export async function listQuestions(
  { service, gate }: Serving,
  { request, url }: Call,
): Promise<Page<ServedQuestion>> {
  const allowed = await gate.toList(request, 'questions')
  assertNames(url.searchParams, [...pageNames, ...questionNames])
  const asked = { ...pageOptionsIn(url.searchParams), ...textsOf(url.searchParams, ...questionNames) }
  const filter = narrowed(allowed, asked)
  if (filter === undefined) return { items: [] }
  const { items, next } = await pageFrom(() => service.awaiting(filter), filter)
  return { items: items.map(servedQuestion), ...(next === undefined ? {} : { next }) }
}

/** A cursor that is none of this list is the mistake of the client. */
export async function pageFrom<Item>(
  read: () => Promise<Page<Item>>,
  { before }: { readonly before?: string },
): Promise<Page<Item>> {
  try {
    return await read()
  } catch (error) {
    if (before === undefined || !(error instanceof ConfigurationError)) throw error
    throw wrongRequest('before must be the `next` of a page of this list.')
  }
}
