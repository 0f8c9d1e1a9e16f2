# Fly's volumes belong to root, so this image gives /data to the service's user before it becomes that user.
FROM registry.example.com/postroom:v0.1.0
USER 0
ENTRYPOINT ["sh", "-c", "chown 10001:10001 /data && exec setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs \"$@\"", "sh"]
CMD ["postroom", "serve"]
