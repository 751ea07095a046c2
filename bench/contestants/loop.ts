/** The loop that one writes by hand: a model, its tools, nothing else. What calls ask for runs side by side. */
import type { Call, Chat, Value } from '../chats/chat.ts'
import { delegatedTask, performAdd, type Job } from '../jobs/job.ts'
import type { Contestant } from './contestant.ts'

export function loop<Message>(chat: Chat<Message>, job: Job, name = 'async loop'): Contestant {
  return { name, prepare: () => () => work(chat, job, job.task) }
}

async function work<Message>(chat: Chat<Message>, job: Job, task: string): Promise<string> {
  const messages = chat.open(job.instructions, task)
  for (;;) {
    const { text, calls, message } = await chat.ask(job.script, messages)
    if (calls.length === 0) return text
    messages.push(message)
    const values = await Promise.all(calls.map((call) => perform(chat, job, call)))
    for (const [index, call] of calls.entries()) messages.push(chat.result(call, values[index] as Value))
  }
}

function perform<Message>(chat: Chat<Message>, { helper }: Job, { args }: Call): Promise<Value> {
  return helper === undefined ? performAdd(args) : work(chat, helper, delegatedTask(args))
}
