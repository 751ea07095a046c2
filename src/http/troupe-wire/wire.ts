/**
 * The wire of the library. Each route asks for the right in the second column; every body and answer is JSON.
 *
 *     POST   /agents/:agent/runs    start    StartBody → 201 ServedRun; 200: the run of an earlier request
 *     GET    /runs                  read     ?limit&before&order&agent&threadId&conversationId → Page<ServedRun>
 *     GET    /runs/:id              read     ServedRun
 *     GET    /runs/:id/events       read     server-sent events; Last-Event-ID or ?after
 *     GET    /awaiting              read     ?limit&before&order&runId&agent&threadId&conversationId → Page<ServedQuestion>
 *     GET    /awaiting/events       read     server-sent events: the questions that wait, as they are asked and closed
 *     POST   /runs/:id/answers      answer   { type: approve | deny | resume, toolCallId, … } → 204
 *     POST   /runs/:id/messages     say      { message, id? } → 204
 *     POST   /runs/:id/cancel       cancel   { reason?, delegationId? } → 204
 *     DELETE /runs/:id              delete   204
 *     GET    /schedules             read     ?limit&before&order&agent → Page<ServedSchedule>
 *     POST   /schedules/:key/pause  cancel   {} → ServedSchedule
 *     POST   /schedules/:key/resume cancel   {} → ServedSchedule
 *     DELETE /schedules/:key        cancel   204
 *     POST   /wake/:key             answer   { data?, note? } → 204
 */
import type { RunSignal } from '../../index.ts'
import {
  type Call,
  type Route,
  emptyResponse,
  incoming,
  jsonResponse,
  readBody,
} from '../../kit/wire/index.ts'
import type { Access, Right } from '../access/authorize.ts'
import type { Serving } from '../serving/serving.ts'
import { agentToStart, startRun } from '../serving/start-run.ts'
import { streamEvents } from './events.ts'
import { listQuestions, listRuns } from './lists.ts'
import { streamQuestions } from './question-stream.ts'
import { scheduleRoutes } from './schedules.ts'
import { readAnswer, readCancel, readMessage } from './signals.ts'
import { readStart } from './start.ts'

export function troupeWire(serving: Serving): readonly Route[] {
  const { gate, service, options } = serving

  /** A signal to a run, once the caller has the right to send it. */
  const signalling =
    (
      right: Exclude<Right, 'start' | 'read'>,
      read: (body: Readonly<Record<string, unknown>>, access: Access) => RunSignal,
    ) =>
    async ({ request, named }: Call): Promise<Response> => {
      const { run, access } = await gate.toRun(request, right, named['id'] ?? '')
      const signal = read(await readBody(incoming(request), { bytes: options.maxBodyBytes }), access)
      await service.signal(run.runId, signal)
      return emptyResponse()
    }

  return [
    {
      method: 'POST',
      path: '/agents/:agent/runs',
      async answer({ request, named }) {
        const permitted = await agentToStart(serving, request, named['agent'] ?? '')
        const body = readStart(await readBody(incoming(request), { bytes: options.maxBodyBytes }))
        const { run, isNew } = await startRun(serving, { request, ...permitted, ...body })
        return jsonResponse(run, isNew ? 201 : 200)
      },
    },
    {
      method: 'GET',
      path: '/runs',
      answer: async (call) => jsonResponse(await listRuns(serving, call)),
    },
    {
      method: 'GET',
      path: '/awaiting',
      answer: async (call) => jsonResponse(await listQuestions(serving, call)),
    },
    { method: 'GET', path: '/awaiting/events', answer: (call) => streamQuestions(serving, call) },
    {
      method: 'GET',
      path: '/runs/:id',
      answer: async ({ request, named }) =>
        jsonResponse((await gate.toRun(request, 'read', named['id'] ?? '')).run),
    },
    { method: 'GET', path: '/runs/:id/events', answer: (call) => streamEvents(serving, call) },
    { method: 'POST', path: '/runs/:id/answers', answer: signalling('answer', readAnswer) },
    { method: 'POST', path: '/runs/:id/messages', answer: signalling('say', readMessage) },
    { method: 'POST', path: '/runs/:id/cancel', answer: signalling('cancel', readCancel) },
    {
      method: 'DELETE',
      path: '/runs/:id',
      async answer({ request, named }) {
        const { run } = await gate.toRun(request, 'delete', named['id'] ?? '')
        await service.delete(run.runId)
        return emptyResponse()
      },
    },
    ...scheduleRoutes(serving),
  ]
}
