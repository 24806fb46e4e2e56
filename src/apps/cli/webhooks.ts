import type { Command } from 'commander'
import { addOperatorEndpoint, listOperatorEndpoints, removeOperatorEndpoint } from '#modules/webhooks/index.ts'
import { createSecretBox } from '#platform/crypto/secret-box.ts'
import { BootError } from '../boot.ts'
import { EVENT_READERS, EVENTS } from '../events.ts'
import { webhookAddresses } from '../webhook-addresses.ts'
import { addCommand, type Cli, JSON_LINES, type Json } from './command.ts'
import { printList, printResult } from './output.ts'

type Added = Json & { type?: string[]; description?: string }

export function addWebhookCommands(program: Command, { config, withDatabases }: Cli): void {
  const webhooks = program.command('webhooks').description('Requests that tell others of events.')
  const operator = webhooks.command('operator').description('Endpoints that are told of every business.')

  addCommand(operator, 'add <url>', {
    says: 'Tell an address what happens in every business from now on. Its secret is shown only once.',
    examples: [
      'webhooks operator add https://platform.example.com/kontor',
      'webhooks operator add https://platform.example.com/kontor --type "order.*" --type business.updated',
    ],
  })
    .option('--type <type>', 'only events of this type or topic; repeat it for several', collect)
    .option('--description <text>', 'what it is for', '')
    .action((url: string, { type = ['*'], description = '', json = false }: Added) =>
      withDatabases(async ({ control }) => {
        const settings = config()
        const options = {
          box: createSecretBox(settings.secretKeys),
          addresses: webhookAddresses(settings),
          events: EVENTS,
          readers: EVENT_READERS,
        }
        const made = await addOperatorEndpoint(control, options, { url, types: type, description })
        printResult(json, made, made.secret)
        if (!json) console.error(`${made.id} is told within seconds. Keep the secret safe: it is shown only now.`)
      }),
    )

  addCommand(operator, 'list', {
    says: 'The endpoints.',
    examples: ['webhooks operator list'],
    json: JSON_LINES,
  }).action(({ json = false }: Json) =>
    withDatabases(async ({ control }) => {
      const rows = (await listOperatorEndpoints(control)).map((row) => ({ ...row, types: row.types.join(' ') }))
      printList(json, ['id', 'url', 'types', 'description', 'createdAt'], rows, 'There are none.')
    }),
  )

  addCommand(operator, 'remove <id>', {
    says: 'Tell an endpoint nothing more.',
    examples: ['webhooks operator remove who_01jcq3v7k8f5t9x2m4n6p8r0sw'],
  }).action((id: string, { json = false }: Json) =>
    withDatabases(async ({ control, cells }) => {
      if (!(await removeOperatorEndpoint(control, cells.values(), id)))
        throw new BootError(`Webhook endpoint ${id} not found.`)
      printResult(json, { id }, `${id} is removed`)
    }),
  )
}

const collect = (value: string, before: string[] = []) => [...before, value]
