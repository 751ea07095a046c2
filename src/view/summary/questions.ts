/** The questions of a run, and who answered them. */
import type { AnswerPayload, AwaitedSignal, JournalEntry } from '../../index.ts'
import { lastId } from '../../kit/index.ts'
import { agentAt, type Mutable } from './places.ts'
import type { SummaryQuestion } from './summary.ts'
import { lineOf, nameOf } from './texts.ts'

type SignalAnswer = Extract<
  Extract<JournalEntry, { readonly type: 'signal.received' }>['signal'],
  { readonly type: 'answer' }
>

type Asked = Pick<AwaitedSignal, 'toolCallId' | 'toolName' | 'type'>
/** The entry by which a question is asked, its time, and the agent. */
interface Place {
  readonly entry: number
  readonly at: number
  readonly agent: string
}

type Given = NonNullable<SummaryQuestion['answer']>

export class Questions {
  /** By the paths of the calls. A call that asks again leaves its earlier questions under other keys. */
  readonly #all = new Map<string, Mutable<SummaryQuestion>>()
  readonly #names = new Map<string, string>()
  readonly #args = new Map<string, unknown>()

  get all(): readonly SummaryQuestion[] {
    return [...this.#all.values()]
  }

  get open(): readonly SummaryQuestion[] {
    return this.all.filter(({ answer }) => answer === undefined)
  }

  /** A call is made: its arguments may come to be changed. */
  called(path: string, toolName: string, args: unknown): void {
    this.#names.set(path, nameOf(toolName))
    this.#args.set(path, args)
  }

  /** A call has ended. */
  ended(path: string): void {
    this.#args.delete(path)
  }

  ask({ entry, at, agent }: Place, { toolCallId, toolName, type }: Asked): void {
    const known = this.#all.get(toolCallId)
    if (known !== undefined && known.answer === undefined) return
    if (known !== undefined) this.#all.set(`${toolCallId}#${entry}`, known)
    this.#all.delete(toolCallId)
    const subject = nameOf(toolName)
    this.#all.set(toolCallId, { askedAt: entry, since: at, agent, path: toolCallId, subject, type })
  }

  /** An answer that the journal has. Returns the agent that asked, and the arguments that were changed. */
  answer(
    entry: number,
    path: string,
    { by, note, answer }: SignalAnswer,
  ): { readonly agent: string; readonly changed: Given['changed'] } {
    const known = this.#all.get(path) ?? this.#unasked(path)
    const { approved, reason, args } = answer
    const before = this.#args.get(path)
    const changed =
      args === undefined
        ? undefined
        : { ...(before === undefined ? {} : { before: lineOf(before) }), after: lineOf(args) }
    known.answer = {
      ...answerOf(entry, { approved, by, note, reason }),
      ...(changed === undefined ? {} : { changed }),
    }
    this.#all.set(path, known)
    return { agent: known.agent, changed }
  }

  /** An answer that no entry has, such as that of a time limit, or of a decision that holds for the rest of the run. */
  answered(entry: number, agent: string, payload: Asked & AnswerPayload): void {
    const { toolCallId, toolName, type } = payload
    const known = this.#all.get(toolCallId)
    if (known?.answer !== undefined) return
    const asked = known ?? { agent, path: toolCallId, subject: nameOf(toolName), type }
    this.#all.set(toolCallId, { ...asked, answer: answerOf(entry, payload) })
  }

  /** Without events only the answer tells of a question. */
  #unasked(path: string): Mutable<SummaryQuestion> {
    return { agent: agentAt(path), path, subject: this.#names.get(path) ?? lastId(path), type: 'approval' }
  }
}

interface AnswerFacts {
  readonly approved: boolean
  readonly by?: string | undefined
  readonly note?: string | undefined
  readonly reason?: string | undefined
}

function answerOf(entry: number, { approved, by, note, reason }: AnswerFacts): Given {
  return {
    entry,
    approved,
    ...(by === undefined ? {} : { by: nameOf(by) }),
    ...(note === undefined ? {} : { note: lineOf(note) }),
    ...(reason === undefined ? {} : { reason: lineOf(reason) }),
  }
}
