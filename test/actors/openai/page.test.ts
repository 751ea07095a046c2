/** The driver in a page of a browser: it speaks to a server of yours, and to no other. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, askStreaming, rejection } from '../../support/agents/model-calls.ts'
import { json, startFaultServer, type FaultServer } from '../../support/fault-server.ts'
import { wires } from '../../support/wires.ts'

let server: FaultServer

beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

beforeEach(() => {
  vi.stubGlobal('window', { document: {} })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe.each(wires)('$api:', (wire) => {
  test('with the address of a server it sends requests', async () => {
    server.answer = json(404, { detail: 'It has come.' })
    for (const call of [ask, askStreaming]) {
      const { length } = server.requests
      const error = await rejection(call(wire.model({ baseURL: server.url, apiKey: 'of-the-server' })))
      expect(error).toMatchObject({ message: expect.stringContaining('It has come.') })
      expect(server.requests).toHaveLength(length + 1)
    }
  })

  test('without one, a key is not sent from a page', async () => {
    vi.stubEnv('OPENAI_BASE_URL', '')
    const error = await rejection(ask(wire.model({ apiKey: 'sk-secret-0123456789' })))
    expect(error).toMatchObject({ message: expect.stringContaining('browser') })
  })
})
