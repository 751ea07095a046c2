/** Who is measured in a scenario, in this process and over HTTP. All of one field do the same work. */
import { openai } from 'troupe'
import type { OpenAI } from 'openai'
import type { Chat } from '../chats/chat.ts'
import { inProcessChat, instantModel } from '../chats/in-process.ts'
import { openaiChat } from '../chats/openai-client.ts'
import type { Contestant } from '../contestants/contestant.ts'
import { loop } from '../contestants/loop.ts'
import { machine } from '../contestants/machine.ts'
import { machineWithChildren } from '../contestants/machine-with-children.ts'
import { troupe, type Models } from '../contestants/troupe.ts'
import { nameOf } from '../jobs/script.ts'
import { scenarios } from './all.ts'
import type { Entry, Scenario } from './scenario.ts'

export function inProcessField(scenario: Scenario): Entry[] {
  const models: Models = { of: instantModel, stream: true }
  const field = fieldOf(inProcessChat(), models, scenario, 'async loop')
  if (scenario.id === 'e') {
    const { a } = scenarios
    field.push({ scenario: a, contestant: troupe(models, a.job, 'Troupe, scenario (a)') })
  }
  return field
}

export function httpField(scenario: Scenario, client: OpenAI): Entry[] {
  const models: Models = { of: (script) => openai(nameOf(script), { client }), stream: false }
  return fieldOf(openaiChat(client), models, scenario, 'openai client in a loop')
}

function fieldOf<Message>(
  chat: Chat<Message>,
  models: Models,
  scenario: Scenario,
  loopName: string,
): Entry[] {
  const { job } = scenario
  const contestants: Contestant[] = [
    loop(chat, job, loopName),
    job.helper === undefined ? machine(chat, job) : machineWithChildren(chat, job, 'XState machines'),
    ...(scenario.id === 'd' ? [machineWithChildren(chat, job, 'XState, a child per call')] : []),
    troupe(models, job),
  ]
  return contestants.map((contestant) => ({ scenario, contestant }))
}
