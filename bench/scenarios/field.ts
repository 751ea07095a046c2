/** Who is measured in a scenario, in this process and over HTTP. All of one field do the same work. */
import { openai } from 'troupe'
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
import type { ServerProcess } from '../support/model-server-process.ts'
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

/** Each of the last two is beside the loop over the same HTTP, and beside the client as it comes. */
export function httpField(scenario: Scenario, { client, nodeClient }: Clients): Entry[] {
  const modelsOf = (used: typeof client): Models => ({
    of: (script) => openai(nameOf(script), { client: used }),
    stream: false,
  })
  const { job } = scenario
  return [
    ...fieldOf(openaiChat(client), modelsOf(client), scenario, clientInLoop),
    { scenario, contestant: loop(openaiChat(nodeClient), job, clientOnNode) },
    { scenario, contestant: troupe(modelsOf(nodeClient), job, troupeOnNode) },
  ]
}

const clientInLoop = 'openai client in a loop'
const clientOnNode = 'the same on node:http'
export const troupeOnNode = 'Troupe on node:http'

type Clients = Pick<ServerProcess, 'client' | 'nodeClient'>

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
