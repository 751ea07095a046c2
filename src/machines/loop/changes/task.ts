/** The prompt of a delegation with its files: the task of the agent, or a prompt that the model writes. */
import {
  filesOf,
  textOf,
  withFiles,
  type Content,
  type FilePart,
  type Part,
} from '../../../actors/content/content.ts'
import type { JudgedCall, Message } from '../../../actors/message.ts'
import { delegationArgsSchema, type DelegationArgs } from '../../../actors/toolset/delegation-args.ts'
import type { AppendLog } from '../../../actors/values/append-log.ts'
import type { AgentProfile } from '../../contract/agent.ts'
import { holdsFiles, taskPosition, type UnknownFiles } from '../../contract/conversation.ts'
import type { LoopContext, PendingCall } from './context.ts'

/** The text of the prompt that is being answered, as input processors have left it. */
export function taskOf(context: Pick<LoopContext, 'messages' | 'input'>): string {
  return textOf(taskContent(context))
}

/** The prompt that is being answered, with its files. */
function taskContent({ messages, input }: Pick<LoopContext, 'messages' | 'input'>): Content {
  const conversation = messages.toArray()
  return conversation[taskPosition(conversation)]?.content ?? input.task
}

/** A delegation whose prompt holds the task: the conversation that goes along ends before it. */
export function taskCall(child: string, call: JudgedCall): PendingCall {
  return { child, call, isTask: true }
}

/** The part of the input of a delegation that its call decides. */
interface HandedOn {
  readonly args: DelegationArgs
  readonly content?: readonly Part[]
  readonly unknownFiles?: UnknownFiles
}

/** The files are those of the task, or those that the model has named in `files` or, without it, in the prompt. */
export function handedOn(context: LoopContext, { call, isTask }: PendingCall): HandedOn {
  const args = delegationArgsSchema().parse(call.args)
  if (!holdsFiles(context.messages) && call.verdict?.namesFiles !== true) return { args: withoutFiles(args) }
  if (isTask === true) return { args, ...partsOf(taskOrPrompt(taskContent(context), args.prompt)) }
  const known = filesWithinReach(context.messages, context.input.profile)
  const asked = args.files ?? [...known.keys()].filter((name) => standsIn(name, args.prompt))
  const unknown = asked.filter((name) => !known.has(name))
  if (unknown.length > 0) return { args, unknownFiles: { asked: unknown, known: [...known.keys()] } }
  const files = [...new Set(asked)].flatMap((name) => known.get(name) ?? [])
  return { args, ...partsOf(withFiles(args.prompt, files)) }
}

/** The whole name, and not a part of a longer one: `chart.png` does not stand in `old-chart.png`. */
function standsIn(name: string, prompt: string): boolean {
  for (let at = prompt.indexOf(name); at !== -1; at = prompt.indexOf(name, at + 1)) {
    const isPartOfLonger =
      /[\w.-]/.test(prompt[at - 1] ?? ' ') ||
      /^(?:[\w-]|\.\w)/.test(prompt.slice(at + name.length, at + name.length + 2))
    if (!isPartOfLonger) return true
  }
  return false
}

/** Where there are no files, the argument is not offered, and says nothing where it names none. */
function withoutFiles({ files: _unoffered, ...args }: DelegationArgs): DelegationArgs {
  return args
}

/** The task as it stands; another text, such as a round of a debate, has the files of the task after it. */
function taskOrPrompt(task: Content, prompt: string): Content {
  return prompt === textOf(task) ? task : withFiles(prompt, filesOf(task))
}

function partsOf(content: Content): { readonly content?: readonly Part[] } {
  return typeof content === 'string' ? {} : { content }
}

/**
 * The files of the task, and of as many of the last messages as are shared with subagents, by name: the newest of each.
 */
function filesWithinReach(
  messages: AppendLog<Message>,
  { delegation }: AgentProfile,
): ReadonlyMap<string, FilePart> {
  const conversation = messages.toArray()
  const files = new Map<string, FilePart>()
  const task = conversation[taskPosition(conversation)]
  for (const message of [
    ...(task === undefined ? [] : [task]),
    ...conversation.slice(-delegation.maxMessages),
  ]) {
    for (const file of filesOf(message.content)) if (file.name !== undefined) files.set(file.name, file)
  }
  return files
}
