/** The requests of the page. `useRun` makes those of a single run. */
import type { ServedQuestion, ServedRun, StartBody } from 'troupe/http'

export interface User {
  readonly name: string
  readonly role: 'customer' | 'staff'
}

interface List<Item> {
  readonly items: readonly Item[]
}

export async function currentUser(): Promise<User | null> {
  return (await (await sent('/session')).json()) as User | null
}

export async function signIn(name: string): Promise<User | null> {
  await sent('/session', { name })
  return currentUser()
}

/** The runs of the user, the oldest first. */
export async function myRuns(): Promise<readonly string[]> {
  const { items } = (await (await sent('/api/runs?order=oldest')).json()) as List<ServedRun>
  return items.map(({ runId }) => runId)
}

/** The page chooses the id of a run: a start that is repeated under it starts no second run. */
export async function start(runId: string, prompt: string): Promise<void> {
  const body: StartBody = { runId, prompt }
  await sent('/api/agents/support/runs', body)
}

/** The questions of all runs, the oldest first. */
export async function openQuestions(): Promise<readonly ServedQuestion[]> {
  return ((await (await sent('/api/awaiting?order=oldest')).json()) as List<ServedQuestion>).items
}

/** The runs that have ended, the newest first. */
export async function endedRuns(): Promise<readonly ServedRun[]> {
  const path = '/api/runs?order=newest&status=settled&limit=10'
  return ((await (await sent(path)).json()) as List<ServedRun>).items
}

/** What a run came to, and who spent what, as a page of text. */
export async function summaryOf(runId: string): Promise<string> {
  return (await sent(`/summary/${encodeURIComponent(runId)}`)).text()
}

async function sent(path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(
    path,
    body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  if (!response.ok) throw new Error(`${path} has answered with the status ${response.status}.`)
  return response
}
