/** Reads a run of this process over each wire of `troupe/http` at once, as the clients of the wires do. */
import type { AnyAgent, RunSignal } from 'troupe'
import { createHandler, type Handler, type ServedTroupe, type WireName } from 'troupe/http'
import type { Asked } from '../cases/example.ts'
import { readByAgUi } from './ag-ui.ts'
import { readAgainByAiSdk, readByAiSdk } from './ai-sdk.ts'
import { readByTroupe } from './troupe.ts'

/** A run that every wire reads. */
export interface Reading {
  readonly agent: AnyAgent
  readonly runId: string
  readonly conversationId: string
  readonly task: string
  /** The answer to a question. Each reader gives it, as a person with three pages would. */
  readonly answer: (question: Asked) => RunSignal
}

/** The text of the last message that each reader shows at the end. */
export interface LastTexts {
  readonly troupe: string
  readonly agUi: string
  readonly aiSdk: string
}

/** Reads a run that has ended from its record. */
export async function readAgain(troupe: ServedTroupe, reading: Reading): Promise<LastTexts> {
  const options = { authorize: 'everybody', agents: [reading.agent] } as const
  return {
    troupe: await readByTroupe(createHandler(troupe, options), reading),
    agUi: await readByAgUi(createHandler(troupe, { ...options, wire: 'ag-ui' }), reading),
    aiSdk: await readAgainByAiSdk(createHandler(troupe, { ...options, wire: 'ai-sdk' }), reading),
  }
}

/** Rejects where a reader does not accept an event. `onOpen`: all readers are connected. */
export async function readByEachWire(
  troupe: ServedTroupe,
  reading: Reading,
  onOpen: () => void,
): Promise<LastTexts> {
  let connected = 0
  const handlerOf = (wire: WireName): Handler => {
    const handler = createHandler(troupe, { authorize: 'everybody', agents: [reading.agent], wire })
    let isConnected = false
    return async (request) => {
      const response = await handler(request)
      if (!isConnected && ++connected === 3) onOpen()
      isConnected = true
      return response
    }
  }
  const [shown, agUi, aiSdk] = await Promise.all([
    readByTroupe(handlerOf('troupe'), reading),
    readByAgUi(handlerOf('ag-ui'), reading),
    readByAiSdk(handlerOf('ai-sdk'), reading),
  ])
  return { troupe: shown, agUi, aiSdk }
}
