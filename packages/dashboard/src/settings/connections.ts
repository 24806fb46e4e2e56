// Who else is told and asked: few people come here, so it is loaded apart from the other settings.
export { CalloutPage } from './callouts/callout-page.tsx'
export { CalloutsPage } from './callouts/callouts-page.tsx'
export { EndpointPage } from './webhooks/endpoint-page.tsx'
export { NewEndpointPage } from './webhooks/new-endpoint-page.tsx'
export { SecretPage } from './webhooks/secret-page.tsx'
export { WebhooksPage } from './webhooks/webhooks-page.tsx'
