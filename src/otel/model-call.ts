/** The attributes of a call of a model beside its request: settings, server, first piece, and what the server says. */
import type { ModelReply, ObservedEffect } from '../index.ts'
import { isRecord } from '../kit/index.ts'
import type { Attributes, Histogram } from '@opentelemetry/api'
import { attribute } from './names.ts'

type Settings = NonNullable<NonNullable<ObservedEffect['call']>['settings']>

const settingNames: Readonly<Record<Exclude<keyof Settings, 'stop'>, string>> = {
  temperature: attribute.temperature,
  topP: attribute.topP,
  topK: attribute.topK,
  presencePenalty: attribute.presencePenalty,
  frequencyPenalty: attribute.frequencyPenalty,
  maxOutputTokens: attribute.maxTokens,
  seed: attribute.seed,
  reasoningEffort: attribute.reasoningLevel,
}

/** What is known of a call once it is over. */
export function callOf(effect: ObservedEffect): Attributes {
  const { call } = effect
  if (call === undefined) return {}
  const { settings = {}, streams, firstPieceAfter } = call
  const stops = stopsOf(settings)
  return {
    ...serverOf(effect),
    ...(streams ? { [attribute.requestStream]: true } : {}),
    ...(firstPieceAfter === undefined ? {} : { [attribute.timeToFirstChunk]: firstPieceAfter / 1000 }),
    ...namedSettings(settings),
    ...(stops === undefined ? {} : { [attribute.stopSequences]: stops }),
  }
}

export function serverOf({ call }: ObservedEffect): Attributes {
  const server = call?.server
  if (server === undefined) return {}
  return { [attribute.serverAddress]: server.address, [attribute.serverPort]: server.port }
}

export function recordFirstPiece(
  histogram: Histogram,
  { call }: ObservedEffect,
  attributes: Attributes,
): void {
  if (call?.firstPieceAfter !== undefined) histogram.record(call.firstPieceAfter / 1000, attributes)
}

/** What the server says about its reply. */
export function responseOf({ response = {} }: ModelReply): Attributes {
  const { id, modelId } = response
  return {
    ...(id === undefined ? {} : { [attribute.responseId]: id }),
    ...(modelId === undefined ? {} : { [attribute.responseModel]: modelId }),
  }
}

/** The model that has answered. */
export function answererOf(reply: unknown): Attributes {
  const response = isRecord(reply) ? reply['response'] : undefined
  const model = isRecord(response) ? response['modelId'] : undefined
  return typeof model === 'string' ? { [attribute.responseModel]: model } : {}
}

/** Models of users tell their settings themselves: those of another type are left out. */
function namedSettings(settings: Settings): Attributes {
  const told: Readonly<Record<string, unknown>> = { ...settings }
  return Object.fromEntries(
    Object.entries(settingNames).flatMap(([name, key]): [string, string | number][] => {
      const value = told[name]
      return typeof value === 'number' || typeof value === 'string' ? [[key, value]] : []
    }),
  )
}

function stopsOf({ stop }: Settings): string[] | undefined {
  if (typeof stop === 'string') return [stop]
  return Array.isArray(stop) ? stop.filter((text) => typeof text === 'string') : undefined
}
