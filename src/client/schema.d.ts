// Made from /openapi.json by `npm run client`.
export interface paths {
    "/api/newsletter/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Subscribe to the newsletter
         * @description Idempotent, and changes nothing of an address that is already subscribed. 201: new or reactivated. 200: already subscribed. With the setting doubleOptIn, the subscription waits until the person confirms it by email; statuses and shape are the same, only the message differs; it also says if no further link may be sent to the address at the moment. The welcome email is sent in the background and does not affect the response. Owners can cap how many new subscribers the site accepts per hour; known addresses are not affected.
         */
        post: operations["subscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newsletter/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Unsubscribe via the link in an email
         * @description Takes effect immediately. Prefetch requests change nothing.
         */
        get: operations["unsubscribePage"];
        put?: never;
        /**
         * Unsubscribe with one click
         * @description One-click unsubscribe for email clients (RFC 8058). The request body is ignored.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newsletter/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Unsubscribe via the link in the text of a broadcast
         * @description Takes effect immediately, except within 30 minutes of that email and for prefetch requests. Then the page asks first, because mail scanners follow links on delivery.
         */
        get: operations["leavePage"];
        put?: never;
        /**
         * Unsubscribe via the button on that page
         * @description Takes effect immediately.
         */
        post: operations["leave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newsletter/subscribe-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show subscription status
         * @description Changes nothing.
         */
        get: operations["subscribeAgainPage"];
        put?: never;
        /**
         * Subscribe again
         * @description The buttons on the unsubscribe page. With `do=fewer` only the ticked topics remain; if none is, nothing changes.
         */
        post: operations["subscribeAgain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newsletter/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a confirmation link
         * @description Changes nothing. The page has one button.
         */
        get: operations["confirmSubscriptionPage"];
        put?: never;
        /**
         * Confirm a subscription
         * @description The button on that page (double opt-in).
         */
        post: operations["confirmSubscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/newsletter/confirm-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a new confirmation link
         * @description At most one in ten minutes, three in 24 hours and five in 30 days per address; further ones are not sent, but the page is the same.
         */
        post: operations["resendConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a subscriber’s own page
         * @description The page behind “Preferences” in emails: topics, language, time zone, name, a break, leaving, and what is stored. Changes nothing.
         */
        get: operations["preferencesPage"];
        put?: never;
        /**
         * Save what a subscriber sets
         * @description The forms of that page. `do` is `save`, `pause`, `resume`, `leave` or `record`. What cannot be read changes nothing.
         */
        post: operations["savePreferences"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter/record": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download everything that is stored about a subscriber
         * @description The link that the page emails to the address on request. Works for one hour.
         */
        get: operations["downloadRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/contact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a contact message
         * @description An identical message from the same address within 10 minutes, or with the same Idempotency-Key (1 to 255 visible ASCII characters) from the same address and network within 24 hours, is stored once and returns the first ID. The notification email is sent in the background and does not affect the response. Owners can cap how many messages the site stores per hour.
         */
        post: operations["sendContactMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive reports from the email provider
         * @description For Resend’s webhooks, which are signed as in Standard Webhooks; the headers may also be named `webhook-…`. A repeated report changes nothing. Event types that are not used are accepted and ignored.
         */
        post: operations["receiveProviderReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a post
         * @description Drafts and scheduled posts return 404 unless a valid preview token is given. `content` is the MDX source.
         */
        get: operations["getPost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/posts/{slug}/preview-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a preview
         * @description Server-sent events: `post` with the version when a draft is saved, and `expired` when the link no longer works. The text is read with the same token from the post. Without `Accept: text/event-stream` the response is the current version alone. A token may have 20 streams, each for half an hour.
         */
        get: operations["watchPreview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{slug}/visit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visit a project
         * @description Counts a click (once a day per visitor) and redirects.
         */
        get: operations["visitProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/media/{id}/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a file
         * @description For cover pictures and files in text. Redirects to storage while a published post or project uses the file. Pictures, video, audio and PDF are shown inline; everything else is downloaded. With `w`, JPEG, PNG, WebP, AVIF, TIFF and still GIF come in that width, without place and camera; a size is made when first asked for.
         */
        get: operations["getMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List published posts
         * @description Newest first. Scheduled posts appear once their publish date has passed. Needs the scope `content:read`.
         */
        get: operations["listPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List published projects
         * @description Featured projects first, then in the managers’ order, then newest first. Needs the scope `content:read`.
         */
        get: operations["listProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/projects/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a project
         * @description Drafts and archived projects return 404. Needs the scope `content:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public settings
         * @description The nine standard keys, the language of the site once it is chosen, and keys a manager has made public. Never secrets. Needs the scope `settings:read`.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/newsletter/broadcasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the broadcasts in the archive
         * @description Returns the listed broadcasts that have been sent, newest first. Needs the scope `content:read`.
         */
        get: operations["listBroadcasts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/newsletter/broadcasts/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a broadcast in the archive
         * @description `text` is plain text, with fallbacks instead of merge fields. Needs the scope `content:read`.
         */
        get: operations["getBroadcast"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscribers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscribers
         * @description In the order in which they were added, whatever their status. A page with conditions looks for people only so long: it may be short, or empty, and yet have a next one. Erased people are not listed. Needs the scope `newsletter:read`.
         */
        get: operations["listSubscribers"];
        put?: never;
        /**
         * Add a subscriber, or what is new about one
         * @description Says how the person agreed. Someone new is active, or with the setting doubleOptIn pending until they confirm, and gets the welcome email or the link (`created`, 201). Everything else is 200. `known`: tags, topics and values of fields are added, an empty name or language is filled, and nothing is taken away; topics that the person left stay left, and `ignored` names them. `left`: those who unsubscribed stay unsubscribed; with doubleOptIn, if they agreed after they left, they get one link to confirm. `suppressed`: the address gets no email. `blocked`: what was stored under this address was erased, and nothing is stored again. Needs the scope `newsletter:write`.
         */
        post: operations["createSubscriber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscribers/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add up to 1,000 subscribers
         * @description The same for each, in their order; one that is not valid stops no other. The body may have 1 MiB. A batch counts as 10 of a key’s requests. People are stored a hundred at a time: if the answer is lost, send the same body with the same Idempotency-Key again, and it goes on from there and says the same. Needs the scope `newsletter:write`.
         */
        post: operations["createSubscribers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/subscribers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a subscriber
         * @description Needs the scope `newsletter:read`.
         */
        get: operations["getSubscriber"];
        put?: never;
        post?: never;
        /**
         * Erase a subscriber
         * @description Deletes what is stored of the subscriber, as in the dashboard, and suppresses the address, so that only the person can add it again. Messages in the inbox stay. It cannot be undone. A key can erase 60 people in an hour, and the owner gets an email. To keep the record without sending email, change `status` instead. Needs the scope `newsletter:write`.
         */
        delete: operations["eraseSubscriber"];
        options?: never;
        head?: never;
        /**
         * Change a subscriber
         * @description Changes what the body names and leaves the rest. Null removes a name, a language or a value. `status` can become `unsubscribed`; people confirm, come back and are mailed again by their own action alone. Topics that the person left are not put back: `ignored` names them. Needs the scope `newsletter:write`.
         */
        patch: operations["updateSubscriber"];
        trace?: never;
    };
    "/api/v1/storage/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an upload URL
         * @description Send exactly `size` bytes to `uploadUrl` with PUT. Storage responds with 200, and the file is registered without a further call. Large files can be sent in parts and resumed, using `_meta.reservationId`. A key can be limited in size, types and folder; a file outside is a 400 that names the field. A repeated request with the same Idempotency-Key returns the same reservation with a fresh URL. Needs the scope `files:write`.
         */
        post: operations["createUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open uploads
         * @description Uploads of this key that are neither completed nor aborted, newest first, with their status as of the last check with storage. Use the `reservationId` to resume or abort one. Needs the scope `files:write`.
         */
        get: operations["listUploads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get upload status
         * @description By its `reservationId`, only for the key that requested it. Storage is queried at most once a second. Needs the scope `files:write`.
         */
        get: operations["getUpload"];
        put?: never;
        post?: never;
        /**
         * Abort an upload
         * @description Invalidates its URLs and frees its space. Idempotent. Needs the scope `files:write`.
         */
        delete: operations["abortUpload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads/{id}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get URLs for parts of an upload
         * @description Returns URLs for the missing parts in `from`…`to` or `numbers`, at most 100. Without either, or without a request body, all missing parts count; if `to` is before `from`, none do. For a single-PUT upload, the first call converts it to multipart and invalidates its `uploadUrl`. Needs the scope `files:write`.
         */
        post: operations["createPartUrls"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads/{id}/url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a fresh upload URL
         * @description For a single-PUT upload whose URL has expired. Needs the scope `files:write`.
         */
        post: operations["renewUploadUrl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete an upload now
         * @description Optional: the service detects completed uploads automatically. Use it to avoid waiting. Idempotent. Needs the scope `files:write`.
         */
        post: operations["completeUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/uploads/{id}/failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a rejected upload
         * @description Use it when a PUT to the upload URL returns 507 or a `Code` about a quota. The upload is aborted, and your next reservation goes to a different storage node. The service checks automatically whether the node is full for everyone. For other errors this is the same as aborting the upload. Needs the scope `files:write`.
         */
        post: operations["reportUploadFailure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files
         * @description Completed files of one folder, by name, and its subfolders. Every key can see all files. Needs the scope `files:read`.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file’s details
         * @description The ID is the `reservationId` of its upload. Files in the trash return 404. Needs the scope `files:read`.
         */
        get: operations["getFile"];
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description Moves the file to the trash, where managers can restore it for 30 days. Idempotent. Needs the scope `files:write`.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        /**
         * Rename, move or describe a file
         * @description Changes what the body names and leaves the rest, in one step: name, folder, metadata, and of a picture its alternative text and focal point, which the dashboard shows too. Names need not be unique in a folder. Existing media URLs keep working, because their ID decides. Needs the scope `files:write`.
         */
        patch: operations["updateFile"];
        trace?: never;
    };
    "/api/v1/storage/files/{id}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description Redirects to a signed storage URL valid for one hour. Do not follow the redirect automatically: `curl -L` and `fetch` would send the key to the storage server. Read `Location` and request it without the key. Needs the scope `files:read`.
         */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/storage/files/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a link to a file
         * @description A signed storage URL that needs no key, for at most seven days. It works for everyone who has it, until it expires or the file is permanently deleted; the end of the key does not end it. Needs the scope `files:read`.
         */
        post: operations["createFileLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/rss.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest posts as RSS 2.0 */
        get: operations["getRssFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/atom.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest posts as Atom */
        get: operations["getAtomFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sitemap of all posts
         * @description Above 50,000 posts: an index of sitemap files.
         */
        get: operations["getSitemap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemap-{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sitemap part (up to 50,000 posts)
         * @description `1.xml` and so on, as `/sitemap.xml` names them.
         */
        get: operations["getSitemapPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Crawling rules and sitemap location */
        get: operations["getRobots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect a reloaded subscription page */
        get: operations["getSubscribePage"];
        put?: never;
        /**
         * Subscribe with an HTML form
         * @description The same as `POST /api/newsletter/subscribe` for HTML forms: accepts `application/x-www-form-urlencoded` and responds with a page in the site's language, or redirects to `next`; neither tells whether the address was subscribed. Forms of other sites are accepted from the allowed origins: those of BASE_URL, BLOG_URL and CORS_ORIGINS, which an owner can also set under Settings, Set up. Shares the rate limit. The cap on new subscribers per hour refuses all addresses here, because it would otherwise tell which are known.
         */
        post: operations["submitSubscribeForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redirect a reloaded contact page */
        get: operations["getContactPage"];
        put?: never;
        /**
         * Send a contact message with an HTML form
         * @description The same as `POST /api/contact` for HTML forms: accepts `application/x-www-form-urlencoded` and responds with a page in the site's language, or redirects to `next`. Forms of other sites are accepted from the allowed origins: those of BASE_URL, BLOG_URL and CORS_ORIGINS, which an owner can also set under Settings, Set up. From a page that hides its origin (`Origin: null`), the visitor has to send the message once more from the page returned. Shares the rate limit.
         */
        post: operations["submitContactForm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the newsletter archive
         * @description Lists the broadcasts that were sent to everyone, newest first, twenty per page.
         */
        get: operations["getArchive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a broadcast
         * @description Unlisted broadcasts are shown to anyone who knows their slug. Merge fields are replaced by their fallbacks.
         */
        get: operations["getArchivePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** RSS feed of the newsletter */
        get: operations["getArchiveFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/newsletter-sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sitemap of the newsletter archive */
        get: operations["getArchiveSitemap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Liveness check */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Readiness check
         * @description Checks a database write, the database pages (once an hour), free disk space, whether broadcasts that are being sent get on, and the age of the oldest queued email. Reports how many storage nodes are paused or full.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prometheus metrics
         * @description Available locally, or with METRICS_TOKEN as a bearer token.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** OpenAPI 3.1 document of this API */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API documentation as HTML: the start page */
        get: operations["getReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API documentation as Markdown: the start page */
        get: operations["getReferenceMarkdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The pages of the documentation for language models (llms.txt) */
        get: operations["getReferenceList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** API documentation as HTML: a search */
        get: operations["searchReference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/postroom-client.tgz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The TypeScript client as a package
         * @description For `npm install`. The same version has the same bytes each time.
         */
        get: operations["downloadClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/postroom-examples.tgz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sites that use the client, as an archive
         * @description Whole sites to start from: without a framework, in Astro and in Next.
         */
        get: operations["downloadExamples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API documentation as HTML: a page
         * @description With `.md` at the end of its name, the page is Markdown.
         */
        get: operations["getReferencePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "subscriber.subscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone subscribed */
        post: operations["onSubscriberSubscribed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone confirmed a subscription */
        post: operations["onSubscriberConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.unsubscribed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone unsubscribed */
        post: operations["onSubscriberUnsubscribed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.reactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone subscribed again, or was restored */
        post: operations["onSubscriberReactivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.suppressed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An address was suppressed: it gets no more email */
        post: operations["onSubscriberSuppressed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A subscriber was deleted */
        post: operations["onSubscriberDeleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What is known of a subscriber changed: details such as the name, tags, topics or fields */
        post: operations["onSubscriberUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone paused their subscription until a date */
        post: operations["onSubscriberPaused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "subscriber.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone’s pause ended */
        post: operations["onSubscriberResumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "audience.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A manager changed many subscribers in one step */
        post: operations["onAudienceChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sequence.entered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone entered a sequence */
        post: operations["onSequenceEntered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sequence.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone got the last email of a sequence */
        post: operations["onSequenceFinished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "sequence.stopped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Someone left a sequence before its end */
        post: operations["onSequenceStopped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "message.received": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A message reached the inbox */
        post: operations["onMessageReceived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post.published": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Readers see a post for the first time */
        post: operations["onPostPublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Readers see a post changed */
        post: operations["onPostUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "post.unpublished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Readers no longer see a post */
        post: operations["onPostUnpublished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "project.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A project changed, whatever its status */
        post: operations["onProjectUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "broadcast.sent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A broadcast is finished */
        post: operations["onBroadcastSent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "upload.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An upload is complete */
        post: operations["onUploadCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "upload.refused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An endpoint refused an upload */
        post: operations["onUploadRefused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "upload.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An upload waits for a decision */
        post: operations["onUploadVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.raised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Something is wrong with the service; again every week until it is cleared */
        post: operations["onAlertRaised"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.cleared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What was wrong is well again */
        post: operations["onAlertCleared"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    ping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A manager sent a test */
        post: operations["onPing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        BatchResult: {
            /**
             * @description Number of results.
             * @example 1
             */
            count: number;
            results: components["schemas"]["BatchEntry"][];
        };
        BatchEntry: {
            /**
             * @description Of the subscriber in the request.
             * @example 0
             */
            index: number;
            result: components["schemas"]["SubscriberOutcome"] | "invalid";
            /**
             * @description Absent if nothing is stored.
             * @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47
             */
            id?: string;
            ignored?: string[];
            /** @description Why it is `invalid`. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /** @enum {string} */
        SubscriberOutcome: "created" | "known" | "left" | "suppressed" | "blocked";
        ErrorDetail: {
            /**
             * @description The field, parameter or header concerned.
             * @example email
             */
            field: string;
            /**
             * @description For people.
             * @example must be a valid email address
             */
            message: string;
        };
        BroadcastList: {
            /**
             * @description Number of items in this response.
             * @example 1
             */
            count: number;
            broadcasts: components["schemas"]["Broadcast"][];
        };
        Broadcast: {
            /** @example 019aa6a1-7c20-7b4e-9d15-3e8f0a6b2c94 */
            id: string;
            /** @example reading-code-aloud */
            slug: string;
            /** @example Reading code aloud */
            subject: string;
            /** @example An hour a week, two chairs, no screen sharing. */
            excerpt: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            sentAt: string;
            /** @example https://example.com/newsletter/reading-code-aloud */
            url: string;
        };
        ChangedSubscriber: {
            ignored: string[];
            subscriber: components["schemas"]["Subscriber"];
        };
        Subscriber: {
            /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
            id: string;
            /** @example ada@example.com */
            email: string;
            name: string | null;
            /**
             * @description Only who is `active` gets the next newsletter.
             * @enum {string}
             */
            status: "active" | "unsubscribed" | "pending" | "paused" | "suppressed";
            source: string | null;
            /** @description Null is the site’s. */
            language: string | null;
            /** @description Null is the site’s. */
            timeZone: string | null;
            tags: string[];
            /** @description Those that the person chose, by their names in links. */
            topics: string[];
            fields: components["schemas"]["FieldValues"];
            /** @description How the person agreed, as the site’s program or file said. */
            consent: components["schemas"]["Consent"] | null;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            joinedAt: string;
            confirmedAt: string | null;
            /** @description When the person last left, also if they came back. */
            unsubscribedAt: string | null;
            pausedUntil: string | null;
            /** @description Why the address gets no email. */
            suppression: components["schemas"]["Suppression"] | null;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            updatedAt: string;
        };
        /**
         * @description Values by the keys of the site’s fields.
         * @example {
         *       "orders": 3
         *     }
         */
        FieldValues: {
            [key: string]: string | number | boolean;
        };
        Consent: {
            /** @example Box ticked at checkout */
            how: string;
            /** @description When, if that was stated. */
            at: string | null;
            url: string | null;
        };
        Suppression: {
            /** @example bounce */
            reason: ("bounce" | "complaint" | "provider" | "manual" | "erased" | "import") | null;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            at: string;
        };
        ErasedSubscriber: {
            /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
            id: string;
            /**
             * @description Of the proof, in the dashboard.
             * @example 019aa6a2-1c0b-7d3e-8a52-7f9d3b6e5c10
             */
            erasureId: string;
        };
        Failure: {
            /** @constant */
            success: false;
            data: null;
            error: components["schemas"]["Error"];
        };
        Error: {
            /**
             * @example VALIDATION_ERROR
             * @enum {string}
             */
            code: "INVALID_JSON" | "VALIDATION_ERROR" | "UNAUTHORIZED" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "RATE_LIMITED" | "INTERNAL_ERROR" | "UPLOAD_FAILED" | "OVERLOADED" | "INSUFFICIENT_STORAGE";
            /** @description For people. Programs decide by `code`. */
            message: string;
            /** @description Which fields are concerned, and why. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        FullBroadcast: {
            /** @example 019aa6a1-7c20-7b4e-9d15-3e8f0a6b2c94 */
            id: string;
            /** @example reading-code-aloud */
            slug: string;
            /** @example Reading code aloud */
            subject: string;
            /** @example An hour a week, two chairs, no screen sharing. */
            excerpt: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            sentAt: string;
            /** @example https://example.com/newsletter/reading-code-aloud */
            url: string;
            /**
             * @example Dear friend,
             *
             *     try it with a colleague and a cup of something warm.
             */
            text: string;
        };
        FullPost: {
            /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
            id: string;
            /** @example release-notes-are-letters */
            slug: string;
            /** @example Release notes are letters */
            title: string;
            /** @example Write to the person who reads this on a Tuesday with a broken build. */
            excerpt: string;
            /**
             * @description Path or URL.
             * @example /media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg
             */
            coverImage: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            publishedAt: string;
            /**
             * @description In minutes.
             * @example 6
             */
            readingTime: number;
            /** @example Ada Ferris */
            author: string;
            tags: components["schemas"]["Tag"][];
            /**
             * @description Each visitor is counted once a day.
             * @example 1204
             */
            views: number;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description MDX source.
             * @example # Release notes are letters
             *
             *     …
             */
            content: string;
            /** @description The files in Storage that its text and cover show or link to, in no order: look them up by ID. At most 500. */
            files: components["schemas"]["PostFile"][];
        };
        Tag: {
            /** @example Field notes */
            name: string;
            /** @example field-notes */
            slug: string;
        };
        PostFile: {
            /** @example 019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974 */
            id: string;
            /**
             * Format: uri
             * @description With `?w=640`, a picture comes in that width.
             * @example https://example.com/media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg
             */
            url: string;
            /** @example image/jpeg */
            mimeType: string;
            /**
             * @description In pixels, upright. Null while it is not known, and for what is no picture.
             * @example 3000
             */
            width: number | null;
            /**
             * @description In pixels.
             * @example 2000
             */
            height: number | null;
            /** @description The alternative text kept with the file. */
            alt: string | null;
            focus: components["schemas"]["FocalPoint"] | null;
        };
        /** @description The point of a picture that stays in view where it is cropped, in percent. */
        FocalPoint: {
            /**
             * @description From the left.
             * @example 50
             */
            x: number;
            /**
             * @description From the top.
             * @example 30
             */
            y: number;
        };
        Health: {
            /** @example ok */
            status: string;
            checks?: components["schemas"]["Checks"];
        };
        Checks: {
            [key: string]: components["schemas"]["Check"];
        };
        Check: {
            /** @example true */
            ok: boolean;
            detail?: string;
        };
        Moved: {
            /** @example release-notes-are-letters */
            slug: string;
        };
        NameChanges: {
            add?: string[] | null;
            remove?: string[] | null;
        };
        Post: {
            /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
            id: string;
            /** @example release-notes-are-letters */
            slug: string;
            /** @example Release notes are letters */
            title: string;
            /** @example Write to the person who reads this on a Tuesday with a broken build. */
            excerpt: string;
            /**
             * @description Path or URL.
             * @example /media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg
             */
            coverImage: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            publishedAt: string;
            /**
             * @description In minutes.
             * @example 6
             */
            readingTime: number;
            /** @example Ada Ferris */
            author: string;
            tags: components["schemas"]["Tag"][];
            /**
             * @description Each visitor is counted once a day.
             * @example 1204
             */
            views: number;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            updatedAt: string;
        };
        PostList: {
            /**
             * @description Number of items in this response.
             * @example 1
             */
            count: number;
            posts: components["schemas"]["Post"][];
        };
        Project: {
            /** @example 019aa69f-4b80-7d14-8a3c-9f21c7e5d6b3 */
            id: string;
            /** @example stillwater */
            slug: string;
            /** @example Stillwater */
            title: string;
            /** @example Tide tables for small harbours. */
            description: string;
            /** @example /images/stillwater.jpg */
            imageUrl: string;
            /** @example https://stillwater.example */
            liveUrl: string;
            /** @example https://github.com/example/stillwater */
            githubUrl: string;
            /** @example true */
            featured: boolean;
            /** @constant */
            status: "PUBLISHED";
            /**
             * @description Each visitor is counted once a day.
             * @example 87
             */
            clicks: number;
            tech: string[];
            /** @example Ada Ferris */
            author: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            updatedAt: string;
        };
        ProjectList: {
            /**
             * @description Number of items in this response.
             * @example 1
             */
            count: number;
            projects: components["schemas"]["Project"][];
        };
        Receipt: {
            /**
             * @description Random ID.
             * @example 019aa6a0-8f6e-7c31-b2a4-5d0e9b7c1f02
             */
            id: string;
            /** @example Thank you for your message. */
            message: string;
        };
        Settings: {
            /**
             * @description Number of keys in this response.
             * @example 3
             */
            count: number;
            /**
             * @example {
             *       "siteTitle": "Ada Ferris",
             *       "jobTitle": "Engineer",
             *       "email": "ada@example.com"
             *     }
             */
            settings: components["schemas"]["Texts"];
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            updatedAt: string;
        };
        SubscriberList: {
            /**
             * @description Number of items in this response.
             * @example 1
             */
            count: number;
            subscribers: components["schemas"]["Subscriber"][];
        };
        SubscriberResult: {
            result: components["schemas"]["SubscriberOutcome"];
            /** @description What was not stored: topics that the person left (`topics.recipes`), tags beyond those that a site can have (`tags.vip`), an unknown language (`language`). */
            ignored: string[];
            /** @description Null if it is `blocked`, or was erased at this moment. */
            subscriber: components["schemas"]["Subscriber"] | null;
        };
        Subscription: {
            /** @description Whether the address was already subscribed. */
            alreadySubscribed: boolean;
            /** @example Thank you for subscribing. */
            message: string;
        };
        /** @description Texts by their names. */
        Texts: {
            [key: string]: string;
        };
        File: {
            /** @example 019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974 */
            id: string;
            /** @example harbour.jpg */
            filename: string;
            /** @example image/jpeg */
            mimeType: string;
            /**
             * @description Size in bytes.
             * @example 482113
             */
            size: number;
            /**
             * @description ETag of the object, as returned by storage. It changes with the bytes and is not the MD5 of the file. Null for files from before it was recorded.
             * @example d41d8cd98f00b204e9800998ecf8427e-1
             */
            etag: string | null;
            /**
             * @description Checksums in Base64 that the client sent with a single PUT and storage verified: sha256, sha1, crc32, crc32c or crc64nvme from `x-amz-checksum-…`, and md5 from the reservation’s `contentMd5`.
             * @example {
             *       "sha256": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
             *     }
             */
            checksums: components["schemas"]["Texts"];
            /** @description Names and values of your own: at most 20, and 4096 bytes of UTF-8 in all. A name has 1 to 40 of a–z, 0–9, _ and -, a letter or digit first. */
            metadata: components["schemas"]["Texts"];
            /**
             * @description In pixels, upright. Null while it is not known, and for what is no picture.
             * @example 3000
             */
            width: number | null;
            /**
             * @description In pixels.
             * @example 2000
             */
            height: number | null;
            /** @description The alternative text kept with the file. */
            alt: string | null;
            focus: components["schemas"]["FocalPoint"] | null;
            /**
             * @description Empty ("") for files outside any folder.
             * @example photos/2026
             */
            folderPath: string;
            /**
             * Format: uri
             * @description Permanent URL for cover pictures and text. Public while a published post or project uses the file.
             * @example https://example.com/media/019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974/harbour.jpg
             */
            mediaUrl: string;
            /**
             * Format: date-time
             * @example 2026-11-19T08:00:00.000Z
             */
            createdAt: string;
        };
        FileLink: {
            /**
             * Format: uri
             * @example https://storage.example/postroom/…?X-Amz-Signature=…
             */
            url: string;
            /**
             * Format: date-time
             * @example 2026-11-20T08:00:00.000Z
             */
            expiresAt: string;
        };
        FileList: {
            /**
             * @description Number of files in this response.
             * @example 1
             */
            count: number;
            files: components["schemas"]["File"][];
            /** @description Direct subfolders by name, each with its number of direct files. At most 1,000. First page only. */
            folders: components["schemas"]["Folder"][];
        };
        Folder: {
            /** @example photos/2026/winter */
            path: string;
            /** @example 12 */
            files: number;
        };
        OpenUploads: {
            /**
             * @description Number of uploads in this response.
             * @example 1
             */
            count: number;
            uploads: components["schemas"]["OpenUpload"][];
        };
        OpenUpload: {
            /** @example 019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974 */
            reservationId: string;
            /** @example film.mp4 */
            filename: string;
            /** @example video/mp4 */
            mimeType: string;
            /** @example videos/2026 */
            folderPath: string;
            state: components["schemas"]["UploadState"];
            /**
             * @description As requested.
             * @example 200000000
             */
            size: number;
            /**
             * @description Bytes of completed PUTs, as of the last check with storage.
             * @example 67108864
             */
            received: number;
            mode: components["schemas"]["UploadMode"];
            /**
             * @description Size in bytes of every part except the last.
             * @example 67108864
             */
            partSize: number;
            /** @example 3 */
            partCount: number;
            /** @description When the most recently issued URL expires. */
            urlExpiresAt: string | null;
            /**
             * Format: date-time
             * @description When the reservation expires. Extended by progress.
             * @example 2026-11-21T09:00:00.000Z
             */
            holdUntil: string;
            /**
             * Format: date-time
             * @example 2026-11-21T09:00:00.000Z
             */
            createdAt: string;
        };
        /**
         * @example open
         * @enum {string}
         */
        UploadState: "pending" | "open" | "completing" | "completed" | "aborting" | "aborted";
        /**
         * @description Single PUT or multipart.
         * @example multipart
         * @enum {string}
         */
        UploadMode: "put" | "multipart";
        PartUrls: {
            /**
             * @description Size in bytes of every part except the last.
             * @example 67108864
             */
            partSize: number;
            /** @example 3 */
            partCount: number;
            /**
             * @description Seconds until the URL expires.
             * @example 3600
             */
            expiresIn: number;
            parts: components["schemas"]["PartUrl"][];
        };
        PartUrl: {
            /** @example 2 */
            part: number;
            /**
             * @description The part must have exactly this many bytes.
             * @example 67108864
             */
            size: number;
            /**
             * Format: uri
             * @example https://storage.example/postroom/…?X-Amz-Signature=…
             */
            url: string;
        };
        TrashedFile: {
            /** @example 019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974 */
            id: string;
            /**
             * Format: date-time
             * @description Until then a manager can restore the file; then it is permanently deleted.
             * @example 2026-12-19T08:00:00.000Z
             */
            purgeAt: string;
        };
        UploadReservation: {
            /**
             * Format: uri
             * @description Send the file’s bytes directly to this storage URL with PUT.
             * @example https://storage.example/postroom/…?X-Amz-Signature=…
             */
            uploadUrl: string;
            /**
             * @description Seconds until the URL expires.
             * @example 3600
             */
            expiresIn: number;
            /** @constant */
            method: "PUT";
            /**
             * @description With `contentMd5`: headers that must be sent with the bytes.
             * @example {
             *       "Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="
             *     }
             */
            headers?: components["schemas"]["Texts"];
            _meta: components["schemas"]["UploadMeta"];
            /**
             * @description With `multipart`: size in bytes of every part except the last.
             * @example 67108864
             */
            partSize?: number;
            /**
             * @description With `multipart`: `uploadUrl` is the URL of part 1.
             * @example 3
             */
            partCount?: number;
        };
        /** @description For debugging and resuming: `reservationId` is the ID of the upload. */
        UploadMeta: {
            /** @example 019aa69f-0a11-7b20-8c7e-31f0d9e4b6a5 */
            nodeId: string;
            /** @example 019aa6a1-7d42-7e09-a5b3-6c8f2e1d0974 */
            reservationId: string;
            /** @example 019aa6a1-7d41-7f66-9b02-c4a7e8d3f150 */
            folderId: string;
        };
        UploadStatus: {
            state: components["schemas"]["UploadState"];
            /**
             * @description As requested.
             * @example 200000000
             */
            size: number;
            /**
             * @description Bytes of completed PUTs, as of the last check with storage.
             * @example 67108864
             */
            received: number;
            mode: components["schemas"]["UploadMode"];
            /**
             * @description Size in bytes of every part except the last.
             * @example 67108864
             */
            partSize: number;
            /** @example 3 */
            partCount: number;
            /**
             * @description Parts received.
             * @example [
             *       1
             *     ]
             */
            parts: number[];
            /**
             * @description Parts still missing.
             * @example [
             *       2,
             *       3
             *     ]
             */
            missing: number[];
            /** @description When the most recently issued URL expires. */
            urlExpiresAt: string | null;
            /**
             * Format: date-time
             * @description When the reservation expires. Extended by progress.
             * @example 2026-11-21T09:00:00.000Z
             */
            holdUntil: string;
        };
        SubscribeInput: {
            /**
             * Format: email
             * @description An email address of at most 200 characters. Its domain may be written in any script.
             */
            email: string;
            /** @description At most 100 characters, blanks at the ends not counted. */
            name?: string | null;
            /** @description At most 100 characters, blanks at the ends not counted. */
            source?: string | null;
            /** @description In which the person reads emails and pages: `en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region, such as `es-MX`. Others are ignored. Without it, the site’s. */
            language?: string | null;
            /** @description Where the person lives, such as `Europe/Madrid`; in a browser, `Intl.DateTimeFormat().resolvedOptions().timeZone`. Emails of sequences that come at an hour of the day come at that hour there. Others are ignored. Without it, the site’s. */
            timeZone?: string | null;
            /** @description What the person chose to read, by the topics’ names in links. Unknown ones are ignored. Without it, the topics for everyone new; an empty list is none. */
            topics?: string[] | null;
        };
        ContactInput: {
            /** @description 2 to 100 characters, blanks at the ends not counted. */
            name: string;
            /**
             * Format: email
             * @description An email address of at most 200 characters. Its domain may be written in any script.
             */
            email: string;
            /** @description 10 to 2000 characters, blanks at the ends not counted. */
            message: string;
            /** @description At most 100 characters, blanks at the ends not counted. */
            source?: string | null;
            /** @description Honeypot: hidden from people. A submission that fills it in is treated as spam. */
            website?: unknown;
        };
        SubscriberInput: {
            /**
             * Format: email
             * @description An email address of at most 200 characters. Its domain may be written in any script.
             */
            email: string;
            /** @description At most 100 characters, blanks at the ends not counted. */
            name?: string | null;
            /** @description Where the person came from, for your statistics. */
            source?: string | null;
            /** @description `en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region. Others are ignored. */
            language?: string | null;
            /** @description Where the person lives, such as `Europe/Madrid`. Others are ignored. */
            timeZone?: string | null;
            /** @description Your own words. New ones are made, up to 200 on a site. */
            tags?: string[] | null;
            /** @description What the person chose to read, by the topics’ names in links. Without it, a new person gets the topics for everyone new. */
            topics?: string[] | null;
            fields?: components["schemas"]["FieldChanges"] | null;
            /** @description How and when the person agreed: required, and kept as proof. */
            consent: components["schemas"]["ConsentInput"];
        };
        /** @description Values by the keys of the site’s fields. Null is no value, or takes one away. */
        FieldChanges: {
            [key: string]: string | number | boolean | null;
        };
        ConsentInput: {
            /** @description In words, 10 to 300 characters: kept as proof. */
            how: string;
            /**
             * Format: date-time
             * @description When, with a zone; not in the future.
             */
            at: string;
            /** @description Where. */
            url?: string | null;
        };
        SubscriberBatch: {
            subscribers: components["schemas"]["SubscriberInput"][];
        };
        SubscriberPatch: {
            /** @description Null or blank removes it. */
            name?: string | null;
            /** @description `en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region. Others are ignored. Null is the site’s. */
            language?: string | null;
            /** @description Where the person lives, such as `Europe/Madrid`. Others are ignored. Null is the site’s. */
            timeZone?: string | null;
            /** @description Names to add and to remove. */
            tags?: components["schemas"]["NameChanges"] | null;
            /** @description By their names in links, to add and to remove. */
            topics?: components["schemas"]["NameChanges"] | null;
            fields?: components["schemas"]["FieldChanges"] | null;
            /** @description The person leaves. */
            status?: "unsubscribed" | null;
        };
        UploadInput: {
            /** @description At most 255 bytes. */
            filename: string;
            mimeType: string;
            size: number;
            /** @description At most 1,024 bytes, in at most 32 folders. */
            folderPath?: string | null;
            metadata?: components["schemas"]["Texts"] | null;
            contentMd5?: string | null;
            /** @description Multipart upload: request a URL for each part. `uploadUrl` is then the URL of part 1. */
            multipart?: ((boolean | null) | null) | boolean | null;
        };
        PartSelection: {
            from?: number | null;
            to?: number | null;
            numbers?: number[] | null;
        };
        StorageFailure: {
            /** @description Of the storage's answer; 0 when there was none. */
            status: number;
            /** @description What its XML calls the error, in `Code`. */
            code?: ((string | null) | null) | string | null;
        };
        FileChanges: {
            /** @description At most 255 bytes. */
            filename?: string | null;
            /** @description Created if it does not exist. Empty ("") for outside any folder. */
            folderPath?: string | null;
            metadata?: components["schemas"]["MetadataChanges"] | null;
            /** @description Alternative text of a picture, in one line. Empty ("") for none. */
            alt?: string | null;
            focus?: components["schemas"]["FocalPoint"] | null;
        };
        /** @description Values by name; null removes one. Names that are left out stay. */
        MetadataChanges: {
            [key: string]: string | null;
        };
        FileLinkOptions: {
            /** @description How long the URL is valid: from 60 to 604800 seconds (seven days), 3600 unless named. */
            expiresIn?: number | null;
            /** @description Whether browsers save the file, as they do unless this is false. Then they show pictures, video, audio and PDF. */
            download?: boolean | null;
        };
        SubscribeFormInput: {
            /**
             * Format: email
             * @description An email address of at most 200 characters. Its domain may be written in any script.
             */
            email: string;
            /** @description At most 100 characters, blanks at the ends not counted. */
            name?: string | null;
            /** @description At most 100 characters, blanks at the ends not counted. */
            source?: string | null;
            /** @description In which the person reads emails and pages: `en`, `de`, `fr`, `es`, `pt` or `nl`, also with a region, such as `es-MX`. Others are ignored. Without it, the site’s. */
            language?: string | null;
            /** @description Where the person lives, such as `Europe/Madrid`; in a browser, `Intl.DateTimeFormat().resolvedOptions().timeZone`. Emails of sequences that come at an hour of the day come at that hour there. Others are ignored. Without it, the site’s. */
            timeZone?: string | null;
            /** @description What the person chose to read, by the topics’ names in links. Unknown ones are ignored. Without it, the topics for everyone new; an empty list is none. */
            topics?: string[];
            /** @description URL to return to, at one of the allowed origins: those of BASE_URL, BLOG_URL and CORS_ORIGINS, which an owner can also set under Settings, Set up. Any other is ignored, and a page says thank you. */
            next?: string;
        };
        ContactFormInput: {
            /** @description 2 to 100 characters, blanks at the ends not counted. */
            name: string;
            /**
             * Format: email
             * @description An email address of at most 200 characters. Its domain may be written in any script.
             */
            email: string;
            /** @description 10 to 2000 characters, blanks at the ends not counted. */
            message: string;
            /** @description At most 100 characters, blanks at the ends not counted. */
            source?: string | null;
            /** @description Honeypot, as in the API. */
            website?: string;
            /** @description URL to return to, at one of the allowed origins: those of BASE_URL, BLOG_URL and CORS_ORIGINS, which an owner can also set under Settings, Set up. Any other is ignored, and a page says thank you. */
            next?: string;
        };
        SubscriptionResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Subscription"];
            error: null;
        };
        ReceiptResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Receipt"];
            error: null;
        };
        FullPostResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["FullPost"];
            error: null;
        };
        MovedResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Moved"];
            error: null;
        };
        PostListResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["PostList"];
            error: null;
        };
        ProjectListResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["ProjectList"];
            error: null;
        };
        ProjectResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Project"];
            error: null;
        };
        SettingsResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Settings"];
            error: null;
        };
        BroadcastListResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["BroadcastList"];
            error: null;
        };
        FullBroadcastResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["FullBroadcast"];
            error: null;
        };
        SubscriberListResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["SubscriberList"];
            error: null;
        };
        SubscriberResultResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["SubscriberResult"];
            error: null;
        };
        BatchResultResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["BatchResult"];
            error: null;
        };
        SubscriberResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["Subscriber"];
            error: null;
        };
        ChangedSubscriberResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["ChangedSubscriber"];
            error: null;
        };
        ErasedSubscriberResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["ErasedSubscriber"];
            error: null;
        };
        UploadReservationResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["UploadReservation"];
            error: null;
        };
        OpenUploadsResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["OpenUploads"];
            error: null;
        };
        UploadStatusResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["UploadStatus"];
            error: null;
        };
        PartUrlsResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["PartUrls"];
            error: null;
        };
        FileListResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["FileList"];
            error: null;
        };
        FileResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["File"];
            error: null;
        };
        TrashedFileResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["TrashedFile"];
            error: null;
        };
        FileLinkResponse: {
            /** @constant */
            success: true;
            data: components["schemas"]["FileLink"];
            error: null;
        };
    };
    responses: {
        /** @description Not modified since the response with the ETag sent in If-None-Match. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description A field, parameter or header breaks a rule. `details` lists up to 20 of them with what is wrong. */
        NotValid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "VALIDATION_ERROR",
                 *         "message": "The request is not valid.",
                 *         "details": [
                 *           {
                 *             "field": "email",
                 *             "message": "must be a valid email address"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request could not be parsed as HTTP. The response has no body, and the connection is closed. */
        Malformed: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The key is missing, unknown, inactive or expired, or is used outside its networks. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "UNAUTHORIZED",
                 *         "message": "Missing API key"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The key lacks the scope of this endpoint, which `details` names. */
        Forbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "FORBIDDEN",
                 *         "message": "This key lacks the scope files:write.",
                 *         "details": [
                 *           {
                 *             "field": "scope",
                 *             "message": "files:write"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description There is no resource at this URL. Drafts and scheduled posts are not found either. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "NOT_FOUND",
                 *         "message": "There is no resource at this URL."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request body is larger than 64 KiB, or that of a batch of subscribers than 1 MiB. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "PAYLOAD_TOO_LARGE",
                 *         "message": "The request body is larger than 64 KiB."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The client’s rate limit, an hourly limit for all visitors together, or the limit of a key for visitors that it names is exceeded. */
        TooManyRequests: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "RATE_LIMITED",
                 *         "message": "Too many requests. Try again in 60 seconds."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description Something went wrong on the server. */
        Failed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "INTERNAL_ERROR",
                 *         "message": "Something went wrong. The request may be retried."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The service is busy and did not begin with the request. */
        Overloaded: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "success": false,
                 *       "data": null,
                 *       "error": {
                 *         "code": "OVERLOADED",
                 *         "message": "The service is busy. Try again in a second."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request is not valid. */
        NotValidPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
        /** @description There is no resource at this URL. */
        NotFoundPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
        /** @description The request body is larger than 64 KiB. */
        TooLargePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
        /** @description Something went wrong. The request may be retried. */
        FailedPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
        /** @description The service is busy. Try again in a second. */
        OverloadedPage: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "text/html": string;
            };
        };
    };
    parameters: never;
    requestBodies: {
        SubscriberEvent: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "subscriber.subscribed" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.reactivated" | "subscriber.suppressed" | "subscriber.deleted" | "subscriber.updated" | "subscriber.paused" | "subscriber.resumed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /**
                         * @description How it happened.
                         * @example form
                         * @enum {string}
                         */
                        via: "form" | "link" | "one-click" | "page" | "manager" | "import" | "cli" | "provider" | "confirm" | "api" | "preferences" | "clock";
                        /**
                         * @description Where the person subscribed.
                         * @example blog
                         */
                        source: string | null;
                        /**
                         * @description Only for endpoints added with people.
                         * @example ada@example.com
                         */
                        email?: string;
                        /**
                         * @description Only for endpoints added with people.
                         * @example Ada Ferris
                         */
                        name?: string | null;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        AudienceEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "audience.changed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /** @constant */
                        via: "manager";
                        /**
                         * @description How many were changed.
                         * @example 1000
                         */
                        count: number;
                    };
                };
            };
        };
        SequenceEvent: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "sequence.entered" | "sequence.finished" | "sequence.stopped";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /**
                         * @description The sequence’s ID.
                         * @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47
                         */
                        id: string;
                        /**
                         * @description The sequence’s name.
                         * @example A course in tides
                         */
                        title: string;
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        subscriberId: string;
                        /**
                         * @description Why someone was stopped; null for the other events.
                         * @example left
                         */
                        reason: ("left" | "suppressed" | "topic" | "refused" | "late") | null;
                        /**
                         * @description Only for endpoints added with people.
                         * @example ada@example.com
                         */
                        email?: string;
                        /**
                         * @description Only for endpoints added with people.
                         * @example Ada Ferris
                         */
                        name?: string | null;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        MessageEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message.received";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /**
                         * @description Which form it came from.
                         * @example landing
                         */
                        source: string;
                        /**
                         * @description Only for endpoints added with people.
                         * @example ada@example.com
                         */
                        email?: string;
                        /**
                         * @description Only for endpoints added with people.
                         * @example Ada Ferris
                         */
                        name?: string;
                        /**
                         * @description Only for endpoints added with people.
                         * @example Hello, I liked the essay.
                         */
                        message?: string;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        PostEvent: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "post.published" | "post.updated" | "post.unpublished";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /** @example release-notes-are-letters */
                        slug: string;
                        /** @example Release notes are letters */
                        title: string;
                        /**
                         * @description Null if the post was never scheduled.
                         * @example 2026-11-19T08:00:00.000Z
                         */
                        publishedAt: string | null;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        ProjectEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "project.updated";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /** @example stillwater */
                        slug: string;
                        /** @example Stillwater */
                        title: string;
                        /**
                         * @example PUBLISHED
                         * @enum {string}
                         */
                        status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        BroadcastEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "broadcast.sent";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /**
                         * @description Null unless the archive lists it.
                         * @example reading-code-aloud
                         */
                        slug: string | null;
                        /** @example Reading code aloud */
                        subject: string;
                        /**
                         * @description Emails the provider accepted.
                         * @example 1204
                         */
                        accepted: number;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        UploadEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "upload.completed";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /**
                         * @description Size in bytes.
                         * @example 482113
                         */
                        size: number;
                    };
                };
            };
        };
        UploadRefusedEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "upload.refused";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /**
                         * @description Size in bytes.
                         * @example 482113
                         */
                        size: number;
                        /**
                         * @description What the endpoint said, if anything.
                         * @example EICAR test file
                         */
                        reason: string | null;
                    };
                };
            };
        };
        UploadVerifyEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "upload.verify";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /** @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47 */
                        id: string;
                        /** @example harbour.jpg */
                        filename: string;
                        /** @example image/jpeg */
                        mimeType: string;
                        /**
                         * @description Size in bytes.
                         * @example 482113
                         */
                        size: number;
                        /**
                         * @description Empty ("") for outside any folder.
                         * @example photos/2026
                         */
                        folderPath: string;
                        /**
                         * Format: uri
                         * @description The bytes, signed, for five minutes.
                         * @example https://storage.example/postroom/…?X-Amz-Signature=…
                         */
                        url: string;
                        /**
                         * Format: date-time
                         * @description When the URL expires.
                         * @example 2026-11-19T08:05:00.000Z
                         */
                        expiresAt: string;
                    };
                };
            };
        };
        AlertEvent: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "alert.raised" | "alert.cleared";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /**
                         * @description The same when it is raised and cleared.
                         * @example 019aa69f-31d2-7a55-9f80-0c6e2d1b8a47
                         */
                        id: string;
                        /**
                         * @description Which alert (docs/operations.md).
                         * @example certificate
                         */
                        name: string;
                        /**
                         * @description Which host, node, broadcast or account it is about; empty if there is only one.
                         * @example example.com
                         */
                        subject: string;
                        /** @example The certificate of example.com ends within 9 days */
                        title: string;
                        /** @example It is valid until 28 November 2026 at 08:00 UTC. Browsers then refuse to connect. */
                        detail: string;
                        /**
                         * Format: date-time
                         * @description When it was first seen.
                         * @example 2026-11-19T08:00:00.000Z
                         */
                        since: string;
                        /**
                         * @description A text was cut after 2,000 characters.
                         * @constant
                         */
                        truncated?: true;
                    };
                };
            };
        };
        PingEvent: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "ping";
                    /**
                     * Format: date-time
                     * @description When it happened.
                     * @example 2026-11-19T08:00:00.000Z
                     */
                    timestamp: string;
                    data: {
                        /**
                         * @description The endpoint’s ID.
                         * @example 019aa69f-0a11-7b20-8c7e-31f0d9e4b6a5
                         */
                        id: string;
                    };
                };
            };
        };
    };
    headers: {
        /** @description Remaining requests, and seconds until the window resets. */
        RateLimit: string;
        /** @description The limit: number of requests per window in seconds. */
        "RateLimit-Policy": string;
        /** @description Seconds to wait before retrying. */
        "Retry-After": number;
        /** @description Send it in If-None-Match with the next request. */
        ETag: string;
        /** @description Link to the next page (rel="next"). Absent on the last page. */
        Link: string;
        /** @description The `cursor` of the next page. Absent on the last page. */
        "Postroom-Next-Cursor": string;
        /** @description Whether the named visitor counts: `used`, or `ignored` and the reason: `scope`, `address`, `private`, or `limit` with a 429. Absent if none is named, or without a valid key. */
        "Postroom-Visitor": string;
        /** @description Total number of items on all pages. */
        "X-Total-Count": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    subscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description The IP address of the visitor on whose behalf a site calls, with an `x-api-key` that has the scope `visitors`: limits, views and duplicates are then the visitor’s. One public address, without a port; IPv6 counts by /64. Without such a key it is ignored. The `Postroom-Visitor` header of the response says which. */
                "Postroom-Visitor-Address"?: string;
                /** @description The visitor’s `User-Agent`, under the same conditions. */
                "Postroom-Visitor-Agent"?: string;
                /** @description The visitor’s `Referer`, under the same conditions: views are counted by its host. Nothing else of it is kept. */
                "Postroom-Visitor-Referrer"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Ferris",
                 *       "source": "blog"
                 *     }
                 */
                "application/json": components["schemas"]["SubscribeInput"];
            };
        };
        responses: {
            /** @description The address was already subscribed. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Postroom-Visitor": components["headers"]["Postroom-Visitor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "alreadySubscribed": true,
                     *         "message": "You are already subscribed."
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["SubscriptionResponse"];
                };
            };
            /** @description New or reactivated. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Postroom-Visitor": components["headers"]["Postroom-Visitor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriptionResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    unsubscribePage: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
                /** @description The email that contains the link. Ignored if this person did not receive it. */
                b?: string;
                /** @description The topic to leave alone. Leaving one’s only topic leaves everything. */
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmation page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
                /** @description The email that contains the link. Ignored if this person did not receive it. */
                b?: string;
                /** @description The topic to leave alone. Leaving one’s only topic leaves everything. */
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmation page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    leavePage: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
                /** @description The email that contains the link. Ignored if this person did not receive it. */
                b?: string;
                /** @description The topic to leave alone. Leaving one’s only topic leaves everything. */
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmation page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    leave: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
                /** @description The email that contains the link. Ignored if this person did not receive it. */
                b?: string;
                /** @description The topic to leave alone. Leaving one’s only topic leaves everything. */
                topic?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmation page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    subscribeAgainPage: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Confirmation page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            503: components["responses"]["Overloaded"];
        };
    };
    subscribeAgain: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link (HMAC-SHA256). Does not expire. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the confirmation page. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description No topic is ticked. Nothing has been changed. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The client’s limit, shared with subscribing, is exceeded. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            503: components["responses"]["Overloaded"];
        };
    };
    confirmSubscriptionPage: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link. Works for seven days. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, with the current state of the subscription. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired. The page offers a new one. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nothing was changed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    confirmSubscription: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link. Works for seven days. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the confirmation page. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired. The page offers a new one. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description The client’s limit, shared with subscribing, is exceeded. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nothing was changed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    resendConfirmation: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token from the link. Works for seven days. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, with the current state of the subscription. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLarge"];
            /** @description The client’s limit, shared with subscribing, is exceeded. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nothing was changed. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    preferencesPage: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token of the unsubscribe link. Does not expire. */
                token: string;
                /** @description The slug of a topic that is shown as ticked; nothing is saved. */
                topic?: string;
                /** @description What the last press of a button did, for the page to say so. */
                done?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, with what is set now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    savePreferences: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token of the unsubscribe link. Does not expire. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the page. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLargePage"];
            /** @description More than 20 changes in ten minutes. Leaving is never refused. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    downloadRecord: {
        parameters: {
            query: {
                /** @description The address the email was sent to. */
                email: string;
                /** @description The token of that link. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file: an object of everything that is stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The address or token is missing or does not match. Returns the same page in every case. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description More than 20 changes in ten minutes. Leaving is never refused. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page offers to try again. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            503: components["responses"]["OverloadedPage"];
        };
    };
    sendContactMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. Valid for 24 hours, for the same email address and network. */
                "Idempotency-Key"?: string;
                /** @description The IP address of the visitor on whose behalf a site calls, with an `x-api-key` that has the scope `visitors`: limits, views and duplicates are then the visitor’s. One public address, without a port; IPv6 counts by /64. Without such a key it is ignored. The `Postroom-Visitor` header of the response says which. */
                "Postroom-Visitor-Address"?: string;
                /** @description The visitor’s `User-Agent`, under the same conditions. */
                "Postroom-Visitor-Agent"?: string;
                /** @description The visitor’s `Referer`, under the same conditions: views are counted by its host. Nothing else of it is kept. */
                "Postroom-Visitor-Referrer"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Ferris",
                 *       "email": "ada@example.com",
                 *       "message": "Hello, I liked the essay."
                 *     }
                 */
                "application/json": components["schemas"]["ContactInput"];
            };
        };
        responses: {
            /** @description The message is stored. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Postroom-Visitor": components["headers"]["Postroom-Visitor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            /** @description This Idempotency-Key has already been used for a different message. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    receiveProviderReport: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ID of the report, the same in every repetition. */
                "svix-id"?: string;
                /** @description Seconds since 1970, within five minutes of now. */
                "svix-timestamp"?: string;
                /** @description One or more signatures (`v1,` and Base64), separated by spaces. */
                "svix-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The report is stored now, or was stored before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "msg_2mXgN9rJwqP6kB0cTzVhY4sLdEf",
                     *         "message": "The report was received."
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["ReceiptResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            /** @description The signature is missing, wrong, or too old. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description MAILER_WEBHOOK_SECRET is not set. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getPost: {
        parameters: {
            query?: {
                /** @description Token of a preview link; returns the last saved draft. Invalid tokens are ignored. */
                preview?: string;
            };
            header?: {
                /** @description The IP address of the visitor on whose behalf a site calls, with an `x-api-key` that has the scope `visitors`: limits, views and duplicates are then the visitor’s. One public address, without a port; IPv6 counts by /64. Without such a key it is ignored. The `Postroom-Visitor` header of the response says which. */
                "Postroom-Visitor-Address"?: string;
                /** @description The visitor’s `User-Agent`, under the same conditions. */
                "Postroom-Visitor-Agent"?: string;
                /** @description The visitor’s `Referer`, under the same conditions: views are counted by its host. Nothing else of it is kept. */
                "Postroom-Visitor-Referrer"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The post with its content. */
            200: {
                headers: {
                    "Postroom-Visitor": components["headers"]["Postroom-Visitor"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullPostResponse"];
                };
            };
            /** @description The post has a new slug. */
            301: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovedResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Malformed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    watchPreview: {
        parameters: {
            query: {
                /** @description Token of a preview link. */
                preview: string;
            };
            header?: {
                /** @description The last version that the page has seen. */
                "Last-Event-ID"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Malformed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    visitProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The IP address of the visitor on whose behalf a site calls, with an `x-api-key` that has the scope `visitors`: limits, views and duplicates are then the visitor’s. One public address, without a port; IPv6 counts by /64. Without such a key it is ignored. The `Postroom-Visitor` header of the response says which. */
                "Postroom-Visitor-Address"?: string;
                /** @description The visitor’s `User-Agent`, under the same conditions. */
                "Postroom-Visitor-Agent"?: string;
                /** @description The visitor’s `Referer`, under the same conditions: views are counted by its host. Nothing else of it is kept. */
                "Postroom-Visitor-Referrer"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the project’s live URL. */
            302: {
                headers: {
                    Location?: string;
                    "Postroom-Visitor": components["headers"]["Postroom-Visitor"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getMedia: {
        parameters: {
            query?: {
                /** @description Width in pixels of a picture: the next of 320, 640, 960, 1280, 1600, 1920, 2560 that is not smaller, and never more than it has. As WebP for clients that accept it, else as JPEG, or PNG if it is transparent. If no size can be made, the file as it came. */
                w?: string;
                /** @description With `jpeg`, never WebP: for emails. 1,120 pixels and those of a logo, from 64 to 480, are then widths too. */
                as?: "jpeg";
            };
            header?: never;
            path: {
                id: string;
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to a signed URL valid for at least one hour. May be cached for 30 minutes. */
            302: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    listPosts: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description Case-insensitive text in the title, excerpt or content. */
                q?: string;
                /** @description The slug of a tag. */
                tag?: string;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Posts without their content. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostListResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description `true`: featured projects only; `false`: all others. */
                featured?: boolean;
                /** @description Items per page. */
                limit?: number;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Projects. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectListResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys and their values. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    listBroadcasts: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Broadcasts without their text. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastListResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getBroadcast: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The broadcast with its text. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullBroadcastResponse"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    listSubscribers: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description Who: the ID of a saved segment, as in the dashboard’s URL, or conditions as JSON. Save longer ones. */
                segment?: string;
                /** @description Case-insensitive text in the address or name. */
                q?: string;
                /** @description The subscriber with this address, however it is written. */
                email?: string;
                /** @description Changed at or after this time, with a zone. */
                updatedSince?: string;
                /** @description Whether `X-Total-Count` has the number of all, which takes time with conditions. */
                count?: boolean;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Subscribers, with what is known of each. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriberListResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    createSubscriber: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. Valid for 24 hours, for the same API key and request body. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "name": "Ada Ferris",
                 *       "tags": [
                 *         "customer"
                 *       ],
                 *       "language": "es",
                 *       "consent": {
                 *         "how": "Box ticked at checkout",
                 *         "at": "2026-11-20T10:00:00Z",
                 *         "url": "https://shop.example/pay"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriberInput"];
            };
        };
        responses: {
            /** @description Someone who was here, or may not be added. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriberResultResponse"];
                };
            };
            /** @description Someone new. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriberResultResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description This Idempotency-Key has already been used for other subscribers. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    createSubscribers: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. Valid for 24 hours, for the same API key and request body. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscribers": [
                 *         {
                 *           "email": "ada@example.com",
                 *           "name": "Ada Ferris",
                 *           "tags": [
                 *             "customer"
                 *           ],
                 *           "language": "es",
                 *           "consent": {
                 *             "how": "Box ticked at checkout",
                 *             "at": "2026-11-20T10:00:00Z",
                 *             "url": "https://shop.example/pay"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SubscriberBatch"];
            };
        };
        responses: {
            /** @description What became of each. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResultResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description This Idempotency-Key has already been used for other subscribers. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getSubscriber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscriber. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubscriberResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    eraseSubscriber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. What is left in the database’s file goes soon. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedSubscriberResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    updateSubscriber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Ferris",
                 *       "tags": {
                 *         "add": [
                 *           "vip"
                 *         ],
                 *         "remove": [
                 *           "trial"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SubscriberPatch"];
            };
        };
        responses: {
            /** @description The subscriber as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubscriberResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    createUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 visible ASCII characters. Valid for 24 hours, for the same API key and request body. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "harbour.jpg",
                 *       "mimeType": "image/jpeg",
                 *       "size": 482113,
                 *       "folderPath": "photos/2026"
                 *     }
                 */
                "application/json": components["schemas"]["UploadInput"];
            };
        };
        responses: {
            /** @description Space is reserved; the URL is valid for one hour. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadReservationResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description This Idempotency-Key has already been used for a different upload, or its upload is complete; then `details` has the `reservationId`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            /** @description Upload failed: storage error. No space is reserved. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Overloaded"];
            /** @description Insufficient storage: no storage node has enough space, or none accepts this file in a single PUT; then `details` says to request `multipart`, or to announce `contentMd5`. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    listUploads: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Open uploads. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenUploadsResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Current status. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadStatusResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            /** @description The upload is open and storage is not responding (`UPLOAD_FAILED`): which parts have arrived is unknown, so send nothing again yet. Or the service is busy (`OVERLOADED`). */
            503: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
        };
    };
    abortUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state is "aborted", or "aborting" until storage has released it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "state": "aborted",
                     *         "size": 200000000,
                     *         "received": 0,
                     *         "mode": "multipart",
                     *         "partSize": 67108864,
                     *         "partCount": 3,
                     *         "parts": [],
                     *         "missing": [
                     *           1,
                     *           2,
                     *           3
                     *         ],
                     *         "urlExpiresAt": "2026-11-21T09:00:00.000Z",
                     *         "holdUntil": "2026-11-21T09:15:00.000Z"
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["UploadStatusResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The upload is complete. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    createPartUrls: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from": 1,
                 *       "to": 100
                 *     }
                 */
                "application/json": components["schemas"]["PartSelection"];
            };
        };
        responses: {
            /** @description A URL for each missing part. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartUrlsResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The upload is not open: it was completed or aborted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            /** @description Storage error. Nothing was changed; try again later. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Overloaded"];
        };
    };
    renewUploadUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reservation. Its URL is valid for one hour. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadReservationResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The upload is not open, or is a multipart upload. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            /** @description Storage error. Nothing was changed; try again later. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Overloaded"];
        };
    };
    completeUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All data has been received. The state is "completed", or "completing" while storage is still working. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "state": "completed",
                     *         "size": 200000000,
                     *         "received": 200000000,
                     *         "mode": "multipart",
                     *         "partSize": 67108864,
                     *         "partCount": 3,
                     *         "parts": [
                     *           1,
                     *           2,
                     *           3
                     *         ],
                     *         "missing": [],
                     *         "urlExpiresAt": "2026-11-21T09:00:00.000Z",
                     *         "holdUntil": "2026-11-21T09:15:00.000Z"
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["UploadStatusResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Parts are missing (listed in `details`, such as "3" or "5-9"), or the upload was aborted. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            /** @description Storage error. Nothing was changed; try again later. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Overloaded"];
        };
    };
    reportUploadFailure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": 507,
                 *       "code": "XMinioStorageFull"
                 *     }
                 */
                "application/json": components["schemas"]["StorageFailure"];
            };
        };
        responses: {
            /** @description The state is "aborted", or "aborting" until storage has released it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "state": "aborted",
                     *         "size": 200000000,
                     *         "received": 0,
                     *         "mode": "multipart",
                     *         "partSize": 67108864,
                     *         "partCount": 3,
                     *         "parts": [],
                     *         "missing": [
                     *           1,
                     *           2,
                     *           3
                     *         ],
                     *         "urlExpiresAt": "2026-11-21T09:00:00.000Z",
                     *         "holdUntil": "2026-11-21T09:15:00.000Z"
                     *       },
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["UploadStatusResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description Upload not found, or it belongs to another key. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The upload is complete. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description Folder to list. Omit for files outside any folder. */
                folderPath?: string;
                /** @description Items per page. */
                limit?: number;
                /** @description Cursor of the next page, from the `Link` header with `rel="next"`. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Files and direct subfolders. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Link: components["headers"]["Link"];
                    "Postroom-Next-Cursor": components["headers"]["Postroom-Next-Cursor"];
                    "X-Total-Count": components["headers"]["X-Total-Count"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileListResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description File not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    deleteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file is in the trash. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashedFileResponse"];
                };
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description File not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description This file is in use: by a post, a project, a broadcast or a setting. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    updateFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filename": "harbour-at-night.jpg",
                 *       "folderPath": "photos/2026"
                 *     }
                 */
                "application/json": components["schemas"]["FileChanges"];
            };
        };
        responses: {
            /** @description The file as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description File not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    downloadFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the file’s signed URL. */
            302: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Malformed"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description File not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    createFileLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "expiresIn": 86400
                 *     }
                 */
                "application/json": components["schemas"]["FileLinkOptions"];
            };
        };
        responses: {
            /** @description The URL. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileLinkResponse"];
                };
            };
            400: components["responses"]["NotValid"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description File not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["TooLarge"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["Failed"];
            503: components["responses"]["Overloaded"];
        };
    };
    getRssFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/rss+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getAtomFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/atom+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getSitemap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getSitemapPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getRobots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules (RFC 9309). */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getSubscribePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the archive. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    submitSubscribeForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["SubscribeFormInput"];
            };
        };
        responses: {
            /** @description The same page for every valid address. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirects to `next`, for every valid address. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form again, with what is wrong. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLargePage"];
            /** @description More requests than the limit of one client, or more than the site takes in an hour. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nothing was saved. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            503: components["responses"]["OverloadedPage"];
        };
    };
    getContactPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirects to the site. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    submitContactForm: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Ferris",
                 *       "email": "ada@example.com",
                 *       "message": "Hello, I liked the essay."
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ContactFormInput"];
            };
        };
        responses: {
            /** @description The message is stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The message is stored. Redirects to `next`. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form again, with what is wrong. */
            400: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["TooLargePage"];
            /** @description More requests than the limit of one client, or more than the site takes in an hour. */
            429: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Nothing was saved. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            503: components["responses"]["OverloadedPage"];
        };
    };
    getArchive: {
        parameters: {
            query?: {
                /** @description Counts from 1. */
                page?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description Page not found. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getArchivePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            304: components["responses"]["NotModified"];
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getArchiveFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/rss+xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getArchiveSitemap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/xml": string;
                };
            };
            304: components["responses"]["NotModified"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is running. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The process is running but unhealthy. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The checks could not be run. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Not ready; see `checks`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description Bearer token; required for remote requests. */
                Authorization?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text format 0.0.4. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Wrong token. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description METRICS_TOKEN is not set; only local requests are allowed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The metrics could not be read. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getReference: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every page and every endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getReferenceMarkdown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every page and every endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getReferenceList: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every page as Markdown, and what it is about. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    searchReference: {
        parameters: {
            query?: {
                /** @description Words that must all be there. Without them, everything is listed. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The headings that match. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    downloadClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The package, which has no dependencies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    downloadExamples: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A folder for each site. Their `package.json` has the client of this service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One subject, such as `newsletter`, `errors` or `limits`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "text/markdown": string;
                };
            };
            404: components["responses"]["NotFoundPage"];
            500: components["responses"]["FailedPage"];
            503: components["responses"]["OverloadedPage"];
        };
    };
    onSubscriberSubscribed: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberConfirmed: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberUnsubscribed: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberReactivated: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberSuppressed: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberDeleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberPaused: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSubscriberResumed: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SubscriberEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAudienceChanged: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["AudienceEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSequenceEntered: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SequenceEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSequenceFinished: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SequenceEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onSequenceStopped: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["SequenceEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onMessageReceived: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["MessageEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostPublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PostEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PostEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPostUnpublished: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PostEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onProjectUpdated: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["ProjectEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBroadcastSent: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["BroadcastEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onUploadCompleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["UploadEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onUploadRefused: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["UploadRefusedEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onUploadVerify: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["UploadVerifyEvent"];
        responses: {
            /** @description The decision. Anything else is tried again for 15 minutes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the upload becomes a file. */
                        accept: boolean;
                        /** @description Why not, in up to 200 characters. */
                        reason?: string;
                    };
                };
            };
        };
    };
    onAlertRaised: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["AlertEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertCleared: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["AlertEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onPing: {
        parameters: {
            query?: never;
            header: {
                /** @description The delivery’s ID, the same in every attempt. */
                "webhook-id": string;
                /** @description Seconds since 1970 when this attempt was made. Refuse what is older than five minutes. */
                "webhook-timestamp": string;
                /** @description One signature (`v1,` and Base64) for each secret, separated by spaces. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["PingEvent"];
        responses: {
            /** @description Turns the endpoint off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event arrived. Anything else, also a redirect, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
