/** Starts runs for clients. A start under an id that the client has chosen may be repeated. */
import { type AgentDefinition, type JsonValue, type Prompt, RunExistsError } from '../../index.ts'
import { runOptionsOf } from '../../kit/index.ts'
import { assertClientTools } from '../../kit/host.ts'
import { RefusedRequest, forbidden, readAs } from '../../kit/wire/index.ts'
import type { Access, ServedRun } from '../access/authorize.ts'
import { covers, filterOf, narrowed } from '../access/gate.ts'
import { allowedTools } from './client-tools.ts'
import type { Serving } from './serving.ts'

/** The start that a client asks for, and its right to it. */
export interface AskedStart {
  readonly request: Request
  readonly agent: AgentDefinition
  readonly access: Access
  readonly prompt: Prompt
  /** Chosen by the client. */
  readonly runId?: string
  readonly threadId?: string
  readonly conversationId?: string
  readonly input?: JsonValue
  /** The tools of the client, as it sends them. */
  readonly tools?: unknown
}

export interface StartedRun {
  readonly run: ServedRun
  /** `false`: an earlier request has started it. */
  readonly isNew: boolean
}

/** The agent of a start. Rejects as `authorize` decides, and only then with the status 404 for an unknown agent. */
export async function agentToStart(
  { gate, agents }: Serving,
  request: Request,
  agentId: string,
): Promise<{ readonly agent: AgentDefinition; readonly access: Access }> {
  const access = await gate.toStart(request, agentId)
  const agent = agents.get(agentId)
  if (agent === undefined) throw new RefusedRequest(404, 'NOT_FOUND', 'There is no such agent to start.')
  return { agent, access }
}

/** Rejects with a `RunExistsError` where the id is that of a run that this start cannot have begun. */
export async function startRun(serving: Serving, asked: AskedStart): Promise<StartedRun> {
  const { runId } = asked
  const earlier = runId === undefined ? undefined : await startedBefore(serving, asked, runId)
  if (earlier !== undefined) return { run: earlier, isNew: false }
  const options = await optionsOf(serving, asked)
  try {
    const { id } = await serving.service.start(asked.agent, asked.prompt, options)
    return { run: await listed(serving, asked, id), isNew: true }
  } catch (error) {
    if (!(error instanceof RunExistsError) || runId === undefined) throw error
    const run = await startedBefore(serving, asked, runId)
    if (run === undefined) throw error
    return { run, isNew: false }
  }
}

/** The run that an earlier request of the caller has started under this id: it is shown to those who may read it. */
async function startedBefore(
  { gate }: Serving,
  { request, agent, access }: AskedStart,
  runId: string,
): Promise<ServedRun | undefined> {
  const run = await gate.find(runId)
  if (run === undefined) return undefined
  const isOfStart = run.agent === agent.id && covers(access, run)
  if (!isOfStart || !(await gate.mayRead(request, run))) throw new RunExistsError(runId)
  return run
}

async function optionsOf({ options: { runOptions } }: Serving, asked: AskedStart): Promise<object> {
  const { request, agent, prompt, access, runId, threadId, conversationId, input } = asked
  const clientTools = allowedTools(asked.tools, access)
  readAs(() => assertClientTools(clientTools, agent, 'The request'))
  const wanted = {
    ...(threadId === undefined ? {} : { threadId }),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
  const allowed = filterOf(access)
  if (narrowed(allowed, wanted) === undefined) throw forbidden()
  const given = await runOptionsOf('createHandler', runOptions, {
    request,
    agent: agent.id,
    prompt,
    access,
    ...(input === undefined ? {} : { input }),
  })
  return {
    ...wanted,
    ...(clientTools.length === 0 ? {} : { clientTools }),
    ...given,
    ...allowed,
    ...(runId === undefined ? {} : { runId }),
  }
}

/** The run as lists have it, with its resource: the next request of the caller then finds it. */
async function listed({ gate }: Serving, { access }: AskedStart, runId: string): Promise<ServedRun> {
  const run = await gate.find(runId)
  if (run !== undefined && covers(access, run)) return run
  throw new RefusedRequest(503, 'SERVER_FAILED', 'The run was started, and is not listed yet.', {
    'retry-after': '1',
  })
}
