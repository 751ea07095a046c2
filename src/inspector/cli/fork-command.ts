/** `troupe fork`: a dry fork whose outcomes a person or a file gives, or one that pays and acts. */
import {
  ConfigurationError,
  createTroupe,
  type JsonValue,
  type OpenQuestion,
  type Run,
  type RunSignal,
  type Troupe,
  TroupeError,
} from '../../index.ts'
import { isRecord, sleep, toErrorData, visibleJson, visibleText } from '../../kit/index.ts'
import { dryFork, type DryFork, type DryQuestion, type ScriptedOutcome } from '../../kit/host.ts'
import { readFile } from 'node:fs/promises'
import { exitCodes, jsonOf, lookOf, refused, type CommandOf, type Sources } from './in-terminal.ts'
import { readReply, Replies, type Asked } from './replies.ts'
import type { Terminal } from './terminal.ts'

/** Milliseconds between two looks at a fork that neither asks nor has told of its end. */
const pause = 10

type ForkCommand = CommandOf<'fork'>

/** Resolves with the exit code. */
export function forkInTerminal(command: ForkCommand, sources: Sources, terminal: Terminal): Promise<number> {
  return refused(terminal, () =>
    command.acts ? act(command, sources, terminal) : dry(command, sources, terminal),
  )
}

async function act(command: ForkCommand, { store, agents }: Sources, terminal: Terminal): Promise<number> {
  const troupe = createTroupe({ agents, store })
  try {
    const run = await troupe.fork(command.runId, { at: command.at })
    if (!command.json) terminal.print(`The fork ${run.id} pays and acts.\n`)
    const leaving = terminal.interrupted().then(() => 'interrupted' as const)
    const step = await Promise.race([leaving, run.whenIdle.then(() => 'idle' as const)])
    if (step === 'interrupted') return exitCodes.interrupted
    return await told(troupe, run, command, terminal)
  } finally {
    await troupe.close()
  }
}

async function dry(command: ForkCommand, sources: Sources, terminal: Terminal): Promise<number> {
  const { runId, at, asksFunctions, replies: path } = command
  const replies = path === undefined ? undefined : new Replies(await textOf(path))
  const fork = await dryFork(sources, runId, { fork: { at }, functions: asksFunctions ? 'ask' : 'run' })
  try {
    if (!command.json) terminal.print(`A dry fork after entry ${at}: nothing is paid and nothing is done.\n`)
    const leaving = terminal.interrupted().then(() => true)
    const give = (asked: Asked, show: () => void): Promise<ScriptedOutcome | undefined> => {
      if (replies !== undefined) return Promise.resolve(replies.next(asked))
      show()
      return Promise.race([leaving.then(() => undefined), lineOf(terminal)])
    }
    for (;;) {
      const step = await nextStep(fork)
      if (step === 'ended') return await told(fork.troupe, fork.run, command, terminal)
      const isGiven =
        'toolCallId' in step
          ? await answer(fork, step, give, command, terminal)
          : await script(fork, step, give, command, terminal)
      if (isGiven) continue
      const isLeaving = await Promise.race([leaving, Promise.resolve(false)])
      return isLeaving ? exitCodes.interrupted : exitCodes.notGiven
    }
  } finally {
    await fork.close()
  }
}

type Give = (asked: Asked, show: () => void) => Promise<ScriptedOutcome | undefined>

/** Returns whether the effect was given an outcome. A person is asked again where the outcome is none. */
async function script(
  fork: DryFork,
  question: DryQuestion,
  give: Give,
  { json, replies }: ForkCommand,
  terminal: Terminal,
): Promise<boolean> {
  for (;;) {
    const outcome = await give(question, () =>
      terminal.print(json ? lineOfJson(question) : textOfHeld(question)),
    )
    if (outcome === undefined) {
      terminal.printError(`${headOf(question)}: no outcome was given.\n`)
      return false
    }
    try {
      fork.answer(question.key, outcome)
      return true
    } catch (error) {
      if (replies !== undefined || !(error instanceof TroupeError)) throw error
      terminal.printError(`${visibleText(error.message)}\n`)
    }
  }
}

/** A question of the run to a person. */
async function answer(
  fork: DryFork,
  question: OpenQuestion,
  give: Give,
  { json }: ForkCommand,
  terminal: Terminal,
): Promise<boolean> {
  const { type: kind, toolName: name, agent } = question
  const outcome = await give({ kind, name, agent }, () =>
    terminal.print(json ? lineOfJson(question) : textOfQuestion(question)),
  )
  if (outcome === undefined) {
    terminal.printError(`${visibleText(agent)} waits for ${visibleText(name)}: no answer was given.\n`)
    return false
  }
  await fork.troupe.signal(fork.run.id, signalOf(question, outcome))
  return true
}

function signalOf({ type, toolCallId }: OpenQuestion, { value, error }: ScriptedOutcome): RunSignal {
  if (type !== 'approval') return { type: 'resume', toolCallId, data: value ?? null }
  if (value === true || value === 'yes' || value === 'y') return { type: 'approve', toolCallId }
  const reason = error?.message ?? (isRecord(value) ? value['reason'] : value)
  return { type: 'deny', toolCallId, ...(typeof reason === 'string' ? { reason } : {}) }
}

/** What the fork does next: it asks for an outcome, it waits for a person, or it has ended. */
async function nextStep({ run, troupe, questions }: DryFork): Promise<DryQuestion | OpenQuestion | 'ended'> {
  for (;;) {
    const [held] = questions.open
    if (held !== undefined) return held
    const [listed] = (await troupe.runs({ runId: run.id })).items
    if (listed?.status === 'settled') return 'ended'
    const [question] = listed?.status === 'suspended' ? (await troupe.awaiting({ runId: run.id })).items : []
    if (question !== undefined) return question
    await sleep(pause)
  }
}

/** Prints the summary of a fork, and returns the exit code. */
async function told(
  troupe: Troupe,
  { id }: Pick<Run, 'id'>,
  { json, width }: ForkCommand,
  terminal: Terminal,
): Promise<number> {
  const { summarise, summaryText } = await import('troupe/view')
  const summary = summarise((await troupe.trail(id)).entries)
  terminal.print(
    json
      ? jsonOf(summary)
      : `\n${summaryText(summary, lookOf(width === undefined ? {} : { width }, terminal))}`,
  )
  if (summary.outcome === undefined) return exitCodes.notGiven
  return summary.outcome === 'completed' || summary.outcome === 'bailed'
    ? exitCodes.done
    : exitCodes.endedOtherwise
}

async function lineOf(terminal: Terminal): Promise<ScriptedOutcome | undefined> {
  const line = await terminal.line?.('> ')
  return line === undefined ? undefined : readReply(line).outcome
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((cause: unknown): never => {
    throw new ConfigurationError(`fork: --replies: "${path}" cannot be read: ${toErrorData(cause).message}`, {
      cause,
    })
  })
}

function lineOfJson(asked: object): string {
  return `${JSON.stringify(asked)}\n`
}

function headOf({ kind, name, agent }: DryQuestion): string {
  return [agent, kind, name === undefined || kind === 'memory' ? '' : name]
    .filter((part) => part !== '')
    .map(visibleText)
    .join('  ')
}

/** Characters of a request that are shown. */
const most = 600

function textOfHeld(question: DryQuestion): string {
  const { kind, input } = question
  const hint =
    kind === 'model' || kind === 'compaction'
      ? 'a text, or { "text": …, "toolCalls": [{ "name": …, "args": … }] }'
      : `a value as JSON, such as ${visibleJson(question.template)}`
  return `\n${headOf(question)}\n${requestText(kind, input)}  ${hint}, or { "error": { "message": … } }\n`
}

/** Of a model its last message and the tools on offer, and of any other effect its request. */
function requestText(kind: DryQuestion['kind'], input: JsonValue): string {
  if (!isRecord(input)) return ''
  const { messages, tools } = input
  if (kind !== 'model' || !Array.isArray(messages)) return line(visibleJson(input['args'] ?? input))
  const last = messages.findLast(isRecord)
  const role = typeof last?.['role'] === 'string' ? last['role'] : 'message'
  const offered = Array.isArray(tools) ? tools.filter(isRecord).map(({ name }) => String(name)) : []
  const content = last?.['content']
  return `${line(`${role}: ${typeof content === 'string' ? content : visibleJson(content)}`)}${offered.length === 0 ? '' : line(`tools: ${offered.join(', ')}`)}`
}

function textOfQuestion({ type, agent, toolName, args, payload }: OpenQuestion): string {
  const asks =
    type === 'approval' ? 'needs approval: yes or no, or the reason for a no' : 'waits for data as JSON'
  const about = payload === undefined ? args : payload
  return `\n${visibleText(agent)}  ${visibleText(toolName)} ${asks}\n${line(visibleJson(about))}`
}

function line(text: string): string {
  const shown = visibleText(text.slice(0, most).replaceAll(/\s+/g, ' '))
  return `  ${shown}${text.length > most ? '…' : ''}\n`
}
