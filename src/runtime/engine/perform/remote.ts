/** Performs `remote` effects: requests to the server of an agent that another system serves. */
import type { Content } from '../../../actors/content/content.ts'
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { RemoteCall, RemoteMessage, RemoteServer } from '../../../actors/remote/remote-server.ts'
import { uuidOf } from '../../../actors/values/sha256.ts'
import { ConfigurationError } from '../../../errors.ts'
import { deliveredFiles } from '../../files/delivered-files.ts'
import { keptFile, putInTime } from '../../files/kept-content.ts'
import { hookTimeoutOf } from '../../definition/profile.ts'
import type { PerformContext } from './context.ts'
import { reportProgress } from './progress.ts'

type Input = EffectInput<'remote'>
type Outcome = EffectOutcome<'remote'>

export async function performRemote(input: Input, context: PerformContext): Promise<Outcome> {
  const { remote, settings } = context.definition(input.agent)
  if (remote === undefined)
    throw new ConfigurationError(`The agent "${input.agent}" is not one that another system serves.`)
  const call: RemoteCall = {
    signal: context.signal,
    report: (value) => reportProgress(value, context.onProgress),
  }
  const kept = (outcome: Outcome): Promise<Outcome> =>
    withKeptFiles(outcome, context, hookTimeoutOf(settings, settings))
  switch (input.operation) {
    case 'send': {
      const arrived = await arrivedBefore(remote, input, context, call)
      if (arrived !== undefined) return arrived
      const content = await withBytes(input.content, context)
      return kept(await remote.send({ ...namesOf(input, context), content }, call))
    }
    case 'answer': {
      const { task, question, answer } = input
      const arrived = await arrivedBefore(remote, input, context, call)
      if (arrived !== undefined) return arrived
      return kept(await remote.answer({ ...namesOf(input, context), task, question, answer }, call))
    }
    case 'find': {
      const task = await remote.find({ ...namesOf(input, context), task: input.task }, call)
      return task === undefined ? { type: 'missing' } : { type: 'begun', task }
    }
    case 'follow': {
      const { task, wait, answered } = input
      return kept(await remote.follow({ task, wait, answered }, call))
    }
    case 'cancel':
      await remote.cancel(input.task, call)
      return { type: 'cancelled' }
  }
}

/** The task of a message that another process has sent. */
async function arrivedBefore(
  remote: RemoteServer,
  input: Extract<Input, { readonly operation: 'send' | 'answer' }>,
  context: PerformContext,
  call: RemoteCall,
): Promise<Outcome | undefined> {
  if (input.isAgain !== true) return undefined
  const known = input.operation === 'answer' ? input.task : undefined
  const task = await remote.find({ ...namesOf(input, context), task: known }, call)
  return task && { type: 'begun', task }
}

/** Equal in each attempt to send the message, also after a crash: its server can tell a repetition. */
function namesOf(
  { agent, message, thread }: Extract<Input, { readonly message: string }>,
  { descent, idempotencyKey }: PerformContext,
): RemoteMessage {
  const threadId = descent?.threadNamed(thread) ?? thread
  return { id: uuidOf(`${idempotencyKey}/${message}`), contextId: uuidOf(`${threadId}/${agent}`) }
}

/** Another system cannot read our storage. */
async function withBytes(content: Content, { blobs }: PerformContext): Promise<Content> {
  if (typeof content === 'string') return content
  const parts = content.map(async (part) => {
    if (part.type === 'text') return [part]
    return deliveredFiles([part], blobs)
  })
  return (await Promise.all(parts)).flat()
}

async function withKeptFiles(outcome: Outcome, context: PerformContext, timeout: number): Promise<Outcome> {
  if (outcome.type !== 'answered' || outcome.files === undefined) return outcome
  const kept = outcome.files.map(keptFile)
  await putInTime(
    kept.flatMap(({ blobs }) => blobs),
    context,
    timeout,
  )
  return { ...outcome, files: kept.map(({ file }) => file) }
}
