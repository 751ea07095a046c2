/** The settings of sampling: the drivers have one vocabulary, and read it alike. */
import { ConfigurationError, openai, type ChatModel } from 'troupe'
import { aiSdk } from 'troupe/ai-sdk'
import { expect, test } from 'vitest'
import { samplingFields, type SamplingSettings } from '../../../src/actors/models/sampling.ts'
import { asVersion3, languageModel } from '../../support/providers/language-model.ts'

type Create = (settings: object) => ChatModel

const drivers: readonly (readonly [string, Create, readonly (keyof SamplingSettings)[]])[] = [
  ['chat', (settings) => openai('m', settings), ['topK']],
  [
    'responses',
    (settings) => openai('m', { api: 'responses', ...settings }),
    ['topK', 'presencePenalty', 'frequencyPenalty', 'seed', 'stop'],
  ],
  ['AI SDK', (settings) => aiSdk(languageModel({ content: [] }), settings), []],
  [
    'AI SDK, version 3',
    (settings) => aiSdk(asVersion3(languageModel({ content: [] })), settings),
    ['reasoningEffort'],
  ],
]

const right: Required<SamplingSettings> = {
  temperature: 0.5,
  topP: 1,
  topK: 40,
  presencePenalty: -1,
  frequencyPenalty: 0.5,
  maxOutputTokens: 100,
  seed: -3,
  stop: ['END'],
  reasoningEffort: 'max',
}

const wrong: { readonly [Name in keyof Required<SamplingSettings>]: unknown } = {
  temperature: -1,
  topP: 2,
  topK: 0.5,
  presencePenalty: Number.NaN,
  frequencyPenalty: 'much',
  maxOutputTokens: 0,
  seed: 1.5,
  stop: [1],
  reasoningEffort: 'hard',
}

const names = Object.keys(samplingFields) as readonly (keyof SamplingSettings)[]

test('the settings are those of the table', () => {
  expect(Object.keys(right)).toEqual(names)
  expect(Object.keys(wrong)).toEqual(names)
})

test.each(drivers)(
  '%s takes each setting that its wire has, and refuses the others by name',
  (_wire, create, missing) => {
    for (const name of names) {
      const made = () => create({ [name]: right[name] })
      if (missing.includes(name)) expect(made).toThrow(name)
      else expect(made).not.toThrow()
      expect(() => create({ [name]: wrong[name] })).toThrow(ConfigurationError)
    }
  },
)
